/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/json_writer.h"
#include "report/rate_text.h"

/* Writes the members of a table of rates into the object that is open; doc/JSON.md has them. */
void json_write_interval(JsonWriter *json, const RateTable *table, const Facts *facts,
			 const RateLayout *layout);

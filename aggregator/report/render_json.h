/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/json_writer.h"
#include "report/model.h"

#include <stdio.h>

/* The renderer of reports for programs: an object of JSON on a line. doc/JSON.md has its schema. */
void render_json(const ReportModel *model, FILE *out);

/* Writes the members of a table of rates into the object that is open; doc/JSON.md has them. */
void json_write_interval(JsonWriter *json, const RateTable *table, const Facts *facts,
			 const RateLayout *layout);

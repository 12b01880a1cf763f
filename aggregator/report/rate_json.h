/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/rate_text.h"

#include <glib.h>

/* Appends a table as one object of JSON on a line; doc/slabratetop.1 says what is in it. */
void rate_json_append(GString *out, const RateTable *table, const RunInfo *info,
		      const RateLayout *layout);

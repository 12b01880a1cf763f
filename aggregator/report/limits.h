/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

#include <glib.h>

/* Whether something did not fit into the bound of memory (--max-memory), beside the tables of
   events: what these have no room for is a loss. */
bool report_left_out_for_memory(const Session *session);

/* Appends the line "Memory: ..." that says what. Nothing where everything fitted. */
void append_memory_bound_line(GString *out, const Session *session);

/* Appends a line where a sum of the report is larger than 64 bits can hold. */
void append_saturated_line(const Report *report, GString *out);

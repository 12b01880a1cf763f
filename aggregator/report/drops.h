/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "report/report.h"

#include <glib.h>

/* What the filters dropped of a report, and what to change where nothing is left. */

/* Returns how many of the filters that were given dropped anything. */
guint drops_effective(const Report *report);

/* Appends "Dropped: 62 stacks by -m 10 (3.2 %), 4 stacks by -t 2 (5 %)", in the order in which the
   filters apply; the percentages are of all allocations. With --details each has its number of
   allocations, also those that dropped nothing. */
void append_dropped_line(const Report *report, GString *out);

/* Whether no stack, or row of a table, is left. */
bool nothing_is_left(const Report *report);

/* Where nothing is left, appends "Nothing left: ..." with the reason and what would show more. */
void append_nothing_left_line(const Report *report, GString *out);

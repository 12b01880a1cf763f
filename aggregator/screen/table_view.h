/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_row.h"
#include "screen/page.h"
#include "screen/state.h"

/* All caches of an interval, or of all intervals so far. */

/* Returns the rows that are shown, sorted; their texts are borrowed (element-type RateRow). */
GArray *table_view_rows(const ScreenState *state);

/* Returns the number of the row that is selected among those shown. */
guint table_view_selected(const ScreenState *state, const GArray *rows);

void table_view_fill(const ScreenState *state, unsigned width, Page *page);

/* How a table of caches is laid out in columns of a terminal: first the name, then the others, at
   last the rates of the last intervals. */
typedef struct {
	unsigned name;      /* width */
	unsigned columns;   /* how many of the columns there is room for, the name's among them */
	unsigned sparkline; /* width; 0: there is no room for it */
} Layout;

/* Returns the width of a column but the name's: there is room for its title with a mark. */
unsigned layout_cell(const Metric *column, bool per_second);

/* longest: of the names. */
Layout layout_for(const Metric *const *columns, unsigned longest, unsigned width, bool per_second);

/* Appends one character for each value, the higher the fuller, by what the largest of them is.
   Nothing is a space, and anything at all is more than that. */
void sparkline_append(GString *out, const double *values, unsigned count, bool utf8);

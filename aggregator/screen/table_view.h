/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_row.h"
#include "screen/page.h"
#include "screen/state.h"

/* The view of all caches, in an interval or in all intervals so far. */

/* Returns the shown rows, sorted; their texts are borrowed (element-type RateRow). */
GArray *table_view_rows(const ScreenState *state);

/* Returns the index of the selected row among those shown. */
guint table_view_selected(const ScreenState *state, const GArray *rows);

/* Fills the page with the table of caches, in that width. */
void table_view_fill(const ScreenState *state, unsigned width, Page *page);

/* The layout of a table of caches: first the name, then the other columns, last the rates of the
   last intervals. */
typedef struct {
	unsigned name;      /* width */
	unsigned columns;   /* number of columns that fit, including the name's */
	unsigned sparkline; /* width; 0: no room for it */
} Layout;

/* Returns the width of a column other than the name's: it has room for the title with a mark. */
unsigned layout_cell(const Metric *column, bool per_second);

/* longest: width of the longest name. */
Layout layout_for(const Metric *const *columns, unsigned longest, unsigned width, bool per_second);

/* Appends one character for each value; its height is relative to the largest value. Zero is a
   space; any larger value is visible. */
void sparkline_append(GString *out, const double *values, unsigned count, bool utf8);

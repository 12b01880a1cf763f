/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_columns.h"

/* How a table of caches is laid out in columns of a terminal: first the name, then the others, at
   last the rates of the last intervals. */
typedef struct {
	unsigned name;      /* width */
	unsigned columns;   /* how many of the columns there is room for, the name's among them */
	unsigned sparkline; /* width; 0: there is no room for it */
} Layout;

/* Returns the width of a column but the name's: there is room for its title with a mark. */
unsigned layout_cell(const RateColumn *column, bool per_second);

/* longest: of the names. */
Layout layout_for(const RateColumn *const *columns, unsigned longest, unsigned width,
		  bool per_second);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rank/rate_table.h"

#include <glib.h>

/* How a table of rates is printed. Everything is borrowed. */
typedef struct {
	const RateColumn *const *columns; /* ended by NULL */
	uint64_t rows_max;
	bool per_second;
	bool human;        /* bytes in KiB, MiB */
	unsigned width;    /* of the terminal; 0: there is none, nothing is cut */
	double interval_s; /* that was asked for */
} RateLayout;

/* Appends the lines before all tables: what the numbers mean, and what is covered of the host. */
void rate_text_append_head(GString *out, const RunInfo *info, const RateLayout *layout);

/* Appends a table in the layout of bcc's slabratetop: time and load, titles, rows, then the sum of
   all rows and what was lost. */
void rate_text_append(GString *out, const RateTable *table, const RateLayout *layout);

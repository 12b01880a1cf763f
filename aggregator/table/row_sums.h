/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/margin.h"
#include "filter.h"

/* What a row of any table adds up of its counters of allocations; metric.h makes figures of it. */
typedef struct {
	StackSummary summary;
	Variance variance; /* of the summary, where it is made of sampled events */
} RowSums;

/* What became of what was allocated, which only some tables have: rows of others need no memory for
   it. */
typedef struct {
	uint64_t frees;
	int64_t net;             /* allocations less frees, where they belong together */
	uint64_t objects_in_use; /* by a reading of the host: no sum */
} LiveSums;

/* Adds a counter of that origin; of frees nothing. scatter_percent: as in variance_add_cell(). */
void row_sums_add_cell(RowSums *sums, const ProfileCell *cell, const ProfileOrigin *origin,
		       uint64_t scatter_percent);

/* Adds another row. */
void row_sums_add(RowSums *sums, const RowSums *added);

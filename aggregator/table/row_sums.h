/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/margin.h"
#include "filter.h"

/* What a row of any table adds up of its counters; metric.h makes figures of it. */
typedef struct {
	StackSummary summary;
	Variance variance; /* of the summary, where it is made of sampled events */
} RowSums;

/* Adds a counter of that origin, of allocations or of frees. scatter_percent: as in
   variance_add_cell(). */
void row_sums_add_cell(RowSums *sums, const ProfileCell *cell, const ProfileOrigin *origin,
		       uint64_t scatter_percent);

/* Adds numbers. A reading of an instant is no sum: it stays as it is. */
void summary_add(StackSummary *sum, const StackSummary *added);

/* Adds another row, likewise. */
void row_sums_add(RowSums *sums, const RowSums *added);

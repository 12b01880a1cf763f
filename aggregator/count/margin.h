/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

#include <stdint.h>

/*
 * By how much figures that are made of sampled events may be off. The standard error of a row is
 * the root of its variance. What one row has was sampled independently of what another has, so the
 * variances of rows add up to that of their sum.
 *
 * Only sampling is in it: not what was lost, nor that a second run would find another load.
 */

/* Variances of one row's figures, in squares of their units; all 0: every event was taken. */
typedef struct {
	double allocations; /* the failed ones among them */
	double bytes_requested;
	double bytes_allocated;
	double bytes_wasted;
} Variance;

/* More than a margin can be: a margin that large says that nothing is known. */
enum { MARGIN_PERCENT_MAX = 1000 };

/* Adds what a cell of that origin has. scatter_percent: of the field KMT_FIELD_SAMPLING_SCATTER, by
   which the variance of independent draws is multiplied; 100 or less: by nothing. */
void variance_add_cell(Variance *sum, const ProfileCell *cell, const ProfileOrigin *origin,
		       uint64_t scatter_percent);

/* Adds another row. */
void variance_add(Variance *sum, const Variance *added);

/* Returns the margin of an estimate with that variance, in percent of it: the truth is within so
   much of the estimate in 95 of 100 cases, which is 1.96 standard errors. At most
   MARGIN_PERCENT_MAX; 0: it is exact. */
double margin_percent(double variance, uint64_t estimate);

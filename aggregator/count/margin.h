/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

#include <stdint.h>

/*
 * Margins of figures that are estimated from sampled events. The standard error of a row is the
 * square root of its variance. Rows are sampled independently, so their variances add up to that of
 * their sum.
 *
 * A margin covers sampling only: neither losses, nor a different load in a second run.
 */

/* Variances of a row's figures, in squares of their units; all 0: every event was taken. */
typedef struct {
	double allocations; /* failed allocations included */
	double bytes_requested;
	double bytes_allocated;
	double bytes_wasted;
} Variance;

/* The upper limit of margins: at this value, nothing is known. */
enum { MARGIN_PERCENT_MAX = 1000 };

/* Returns the variance of the number of events in a cell, as an estimate: 0: every event was taken.
   scatter_percent: as below. */
double variance_of_cell(const ProfileCell *cell, uint64_t scatter_percent);

/* Adds the variance of a cell of that origin. scatter_percent: the field
   KMT_FIELD_SAMPLING_SCATTER, which scales the variance of independent draws; 100 or less: no
   scaling. */
void variance_add_cell(Variance *sum, const ProfileCell *cell, const ProfileOrigin *origin,
		       uint64_t scatter_percent);

/* Adds another row. */
void variance_add(Variance *sum, const Variance *added);

/* Returns the margin of an estimate with this variance, in percent of the estimate. In 95 of 100
   cases the true number is within the margin (1.96 standard errors). At most MARGIN_PERCENT_MAX; 0:
   exact. */
double margin_percent(double variance, uint64_t estimate);

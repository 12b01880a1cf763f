/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "record/run_info.h"
#include "record/scatter_row.h"

#include <stdint.h>

/*
 * Margins of figures that are estimated from sampled events. The standard error of a row is the
 * square root of its variance. Rows are sampled independently, so their variances add up to that of
 * their sum. doc/SAMPLING.md explains the formulas.
 *
 * The samples of a row do not show what was not taken: a row whose few events were all taken looks
 * exact. So the variance of each row has in addition that of MARGIN_MORE_SAMPLES samples of average
 * weight.
 *
 * A margin covers sampling only: neither losses, nor a different load in a second run.
 */

/* About the square of 1.96: the upper end of an interval of 95 % of a Poisson number is then right
   for a row without samples (Wilson's interval). */
enum { MARGIN_MORE_SAMPLES = 4 };

/* How the events of a profile were sampled. */
typedef struct {
	/* The variance of the count that a sample adds, in the mean of all samples; 0: every event
	   was taken. */
	double of_sample;
	double variance; /* of all samples: see ProfileTotals */
	/* By scatter_row(): the variance in percent of that of independent draws, 100 or less: as
	   these; and the part in the variance of all samples of the places of which that is true.
	 */
	struct {
		uint32_t percent;
		float part;
	} scatter[SCATTER_ROWS];
} Sampling;

/* The same for a cell. */
typedef struct {
	double of_sample;
	double scatter; /* the variance by that of independent draws, at least 1 */
} CellSampling;

/* Variances of a row's figures, in squares of their units; all 0: every event was taken. They lack
   what variance_of_events() and variance_of_amount() add. */
typedef struct {
	double of_sample;   /* see Sampling */
	double allocations; /* failed allocations included */
	double bytes_requested;
	double bytes_allocated;
	double bytes_wasted;
} Variance;

/* The upper limit of margins: at this value, nothing is known. */
enum { MARGIN_PERCENT_MAX = 1000 };

/* Returns how the events of a profile were sampled, by its samples and by what the stream says. */
Sampling sampling_of(const Profile *profile, const RunInfo *info);

/* Returns the scatter of a cell in that row, as in CellSampling. */
double sampling_scatter(const Sampling *sampling, unsigned row, const ProfileCell *cell);

/* Returns how the events of a cell of the profile were sampled. */
CellSampling sampling_of_cell(const Sampling *sampling, const Profile *profile,
			      const ProfileCell *cell);

/* Returns the variance of the number of events in a cell, as an estimate. */
double variance_of_cell(const ProfileCell *cell, CellSampling sampling);

/* Adds the variance of a cell of that origin. */
void variance_add_cell(Variance *sum, const ProfileCell *cell, const ProfileOrigin *origin,
		       CellSampling sampling);

/* Adds another row. */
void variance_add(Variance *sum, const Variance *added);

/* Returns the variance of a row's number of events. */
double variance_of_events(const Variance *row);

/* Returns the variance of a row's sum of bytes or values, for which the samples themselves give
   that variance. amount: that sum, of so many events. */
double variance_of_amount(const Variance *row, double variance, double amount, uint64_t events);

/* Returns the margin of an estimate with this variance, in percent of the estimate. In 95 of 100
   cases the true number is within the margin (1.96 standard errors). At most MARGIN_PERCENT_MAX; 0:
   exact. */
double margin_percent(double variance, uint64_t estimate);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/margin.h"

#include <math.h>

/* 95 % of a normal distribution lie within this many standard errors of the mean. */
#define STANDARD_ERRORS 1.96

enum { SCATTER_OF_DRAWS = 100 };

static double square(double number)
{
	return number * number;
}

static double wasted(const ProfileOrigin *origin)
{
	return origin->bytes_allocated > origin->bytes_requested
		       ? (double)(origin->bytes_allocated - origin->bytes_requested)
		       : 0;
}

double variance_of_cell(const ProfileCell *cell, uint64_t scatter_percent)
{
	double scatter = (double)MAX(scatter_percent, SCATTER_OF_DRAWS) / SCATTER_OF_DRAWS;

	/* A saturated sum has no upper bound. */
	return cell->variance == UINT64_MAX ? INFINITY : (double)cell->variance * scatter;
}

void variance_add_cell(Variance *sum, const ProfileCell *cell, const ProfileOrigin *origin,
		       uint64_t scatter_percent)
{
	double variance = variance_of_cell(cell, scatter_percent);

	if (!cell->variance)
		return;
	sum->allocations += variance;
	/* All events of an origin have the same sizes. Size 0 has no error. */
	if (origin->bytes_requested)
		sum->bytes_requested += variance * square((double)origin->bytes_requested);
	if (origin->bytes_allocated)
		sum->bytes_allocated += variance * square((double)origin->bytes_allocated);
	if (wasted(origin) > 0)
		sum->bytes_wasted += variance * square(wasted(origin));
}

void variance_add(Variance *sum, const Variance *added)
{
	sum->allocations += added->allocations;
	sum->bytes_requested += added->bytes_requested;
	sum->bytes_allocated += added->bytes_allocated;
	sum->bytes_wasted += added->bytes_wasted;
}

double margin_percent(double variance, uint64_t estimate)
{
	if (variance <= 0 || !estimate)
		return 0;
	return MIN(STANDARD_ERRORS * sqrt(variance) / (double)estimate * 100, MARGIN_PERCENT_MAX);
}

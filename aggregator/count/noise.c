/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pure functions for --diff: how far two figures may differ by chance. Poisson bounds for numbers,
 * and limits by how many rows a report has. diff_rows.c ranks by the results. doc/COMPARISON.md has
 * the formulas.
 */
#include "count/noise.h"

#include <math.h>
#include <stdbool.h>

/* The distances from a figure to its bounds. */
typedef struct {
	double below;
	double above;
} Distances;

static double noise_cube(double number)
{
	return number * number * number;
}

/* Byar's approximation of the exact bounds of a Poisson distributed number (Breslow and Day,
   "Statistical methods in cancer research", volume 2, 1987). Up to 1, nothing is left below. */
static Distances poisson_distances(double number, double errors)
{
	double next = number + 1;
	double lower = number > 0 ? 1 - 1 / (9 * number) - errors / (3 * sqrt(number)) : 0;
	double upper = 1 - 1 / (9 * next) + errors / (3 * sqrt(next));

	return (Distances){
		.below = number - number * noise_cube(fmax(lower, 0)),
		.above = next * noise_cube(upper) - number,
	};
}

/* What one event adds to a figure; 0: there is no event. */
static double scale_of(NoisyFigure figure)
{
	return figure.figure > 0 ? figure.variance / figure.figure : 0;
}

static Distances noise_distances(NoisyFigure figure, double scale, double errors)
{
	Distances poisson = poisson_distances(figure.figure / scale, errors);

	return (Distances){
		.below = poisson.below * scale * figure.factor,
		.above = poisson.above * scale * figure.factor,
	};
}

double noise_of_change(NoisyFigure before, NoisyFigure after, double errors)
{
	double scale_before = scale_of(before), scale_after = scale_of(after);
	double change = after.figure * after.factor - before.figure * before.factor;
	Distances around_before, around_after;

	/* Events of a run that had none are like those of the other. */
	scale_before = scale_before > 0 ? scale_before : scale_after;
	scale_after = scale_after > 0 ? scale_after : scale_before;
	if (!(scale_before > 0))
		return before.figure > 0 || after.figure > 0 ? INFINITY : 0;
	if (!isfinite(scale_before) || !isfinite(scale_after))
		return INFINITY;
	around_before = noise_distances(before, scale_before, errors);
	around_after = noise_distances(after, scale_after, errors);
	return change < 0 ? hypot(around_before.below, around_after.above)
			  : hypot(around_before.above, around_after.below);
}

double noise_errors(uint64_t rows)
{
	enum { STEPS = 64 };
	double share = 1.0 / NOISE_REPORTS / (double)(rows ? rows : 1);
	double low = 0, high = 40;

	/* This share of a normal distribution is further from its mean, to both sides. */
	for (int step = 0; step < STEPS; step++) {
		double middle = (low + high) / 2;
		bool is_too_near = erfc(middle / sqrt(2)) > share;

		low = is_too_near ? middle : low;
		high = is_too_near ? high : middle;
	}
	return high;
}

double noise_errors_measured(double errors, uint32_t blocks)
{
	double freedom = (double)blocks - 1;
	double normal = errors * (8 * freedom + 3) / (8 * freedom + 1);

	return sqrt(freedom * expm1(normal * normal / freedom));
}

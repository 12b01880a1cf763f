/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_scatter.h"

enum {
	SAMPLES_MIN = 16, /* a smaller block is not compared */
	LIKE_SIZE = 2,    /* the larger of two blocks has at most this many times the events */
};
#define PERCENT_MAX 1e6

static double square(double number)
{
	return number * number;
}

static int are_alike(const PerfBlock *a, const PerfBlock *b)
{
	/* If every event is taken, nothing is estimated. */
	return a->period > 1 && b->period > 1 && a->samples >= SAMPLES_MIN &&
	       b->samples >= SAMPLES_MIN && a->total <= LIKE_SIZE * b->total &&
	       b->total <= LIKE_SIZE * a->total;
}

/* Adds a row's difference between its part of one block and the part expected from both blocks. */
static void compare_row(PerfScatter *scatter, unsigned row)
{
	const PerfBlock *a = &scatter->before, *b = &scatter->now;
	double total_a = (double)a->total, total_b = (double)b->total, total = total_a + total_b;
	double weight_a = (double)a->weights[row], weight_b = (double)b->weights[row];
	double share = (weight_a + weight_b) / total;
	double variance = ((double)a->variances[row] * square(total_b) +
			   (double)b->variances[row] * square(total_a)) /
			  square(total);

	scatter->squares += square((weight_a * total_b - weight_b * total_a) / total);
	scatter->expected += variance * (1 - share);
}

void perf_scatter_begin(PerfScatter *scatter, uint32_t period)
{
	if (are_alike(&scatter->before, &scatter->now))
		for (unsigned row = 0; row < PERF_SCATTER_ROWS; row++)
			compare_row(scatter, row);
	scatter->before = scatter->now;
	scatter->now = (PerfBlock){ .period = period };
}

void perf_scatter_add(PerfScatter *scatter, uint64_t call_site, uint32_t weight)
{
	PerfBlock *block = &scatter->now;
	unsigned row = (unsigned)(call_site * 0x9e3779b97f4a7c15ULL >> 58);

	block->samples++;
	block->total += weight;
	block->weights[row] += weight;
	block->variances[row] += (uint64_t)weight * (weight - 1);
}

void perf_scatter_sum(PerfScatter *sum, const PerfScatter *added)
{
	sum->squares += added->squares;
	sum->expected += added->expected;
}

uint64_t perf_scatter_percent(const PerfScatter *scatter)
{
	double percent;

	if (scatter->squares <= scatter->expected || scatter->expected <= 0)
		return PERF_SCATTER_OF_DRAWS;
	percent = scatter->squares / scatter->expected * PERF_SCATTER_OF_DRAWS;
	return (uint64_t)(percent < PERCENT_MAX ? percent : PERCENT_MAX);
}

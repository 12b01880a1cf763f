/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_scatter.h"

enum {
	SAMPLES_MIN = 16,     /* a smaller block is not compared */
	LIKE_SIZE = 2,        /* the larger of two blocks has at most this many times the events */
	SAMPLES_ASSUMED = 16, /* of independent draws, in each row */
};
#define PERCENT_MAX 1e6
#define MILLION 1e6

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

static double variance_of(const PerfBlock *block, unsigned part)
{
	return (double)block->weights[part] * (block->period - 1);
}

/* Adds the difference between the share of a part in one block and that expected from both. */
static void compare_part(PerfScatter *scatter, unsigned part)
{
	const PerfBlock *a = &scatter->before, *b = &scatter->now;
	PerfDifference *row = &scatter->rows[part / SCATTER_PLACES];
	double total_a = (double)a->total, total_b = (double)b->total, total = total_a + total_b;
	double weight_a = a->weights[part], weight_b = b->weights[part];
	double share = (weight_a + weight_b) / total;
	double variance =
		(variance_of(a, part) * square(total_b) + variance_of(b, part) * square(total_a)) /
		square(total);

	row->squares += square((weight_a * total_b - weight_b * total_a) / total);
	row->expected += variance * (1 - share);
	row->variances[part % SCATTER_PLACES] += variance_of(a, part) + variance_of(b, part);
}

void perf_scatter_begin(PerfScatter *scatter, uint32_t period)
{
	if (are_alike(&scatter->before, &scatter->now)) {
		for (unsigned part = 0; part < SCATTER_ROWS * SCATTER_PLACES; part++)
			compare_part(scatter, part);
		scatter->compared += scatter->before.samples + scatter->now.samples;
	}
	scatter->before = scatter->now;
	scatter->now = (PerfBlock){ .period = period };
}

void perf_scatter_add(PerfScatter *scatter, unsigned row, uint64_t place)
{
	PerfBlock *block = &scatter->now;
	unsigned hash = (unsigned)(place * 0x9e3779b97f4a7c15ULL >> 60);

	block->samples++;
	block->total += block->period;
	block->weights[row * SCATTER_PLACES + hash] += block->period;
}

void perf_scatter_sum(PerfScatter *sum, const PerfScatter *added)
{
	for (unsigned i = 0; i < SCATTER_ROWS; i++) {
		sum->rows[i].squares += added->rows[i].squares;
		sum->rows[i].expected += added->rows[i].expected;
		for (unsigned j = 0; j < SCATTER_PLACES; j++)
			sum->rows[i].variances[j] += added->rows[i].variances[j];
	}
	sum->compared += added->compared;
}

/* Returns what a sample of independent draws adds to the differences, on average. */
static double expected_of_sample(const PerfScatter *scatter)
{
	double expected = 0;

	for (unsigned i = 0; i < SCATTER_ROWS; i++)
		expected += scatter->rows[i].expected;
	return scatter->compared > 0 ? expected / scatter->compared : 0;
}

uint32_t perf_scatter_percent(const PerfScatter *scatter, unsigned row)
{
	double assumed = SAMPLES_ASSUMED * expected_of_sample(scatter);
	double squares = scatter->rows[row].squares + assumed;
	double expected = scatter->rows[row].expected + assumed;
	double percent;

	if (squares <= expected || expected <= 0)
		return PERF_SCATTER_OF_DRAWS;
	percent = squares / expected * PERF_SCATTER_OF_DRAWS;
	return (uint32_t)(percent < PERCENT_MAX ? percent : PERCENT_MAX);
}

static double variance_of_row(const PerfDifference *row)
{
	double sum = 0;

	for (unsigned i = 0; i < SCATTER_PLACES; i++)
		sum += row->variances[i];
	return sum;
}

uint32_t perf_scatter_part(const PerfScatter *scatter, unsigned row)
{
	const PerfDifference *of = &scatter->rows[row];
	double all = 0, squares = 0;

	for (unsigned i = 0; i < SCATTER_ROWS; i++)
		all += variance_of_row(&scatter->rows[i]);
	for (unsigned i = 0; i < SCATTER_PLACES; i++)
		squares += square(of->variances[i]);
	return squares > 0 ? (uint32_t)(squares / variance_of_row(of) / all * MILLION) : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Measures how unevenly sampling sees a CPU: weights by process row and place, compared between
 * blocks of one period. One PerfScatter for each point and CPU; perf_run.c sums them up into facts
 * of the stream.
 */
#include "collect/perf/perf_scatter.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The scatter of events that are sampled by thread: weights in rows by hash of the thread.
 * perf_hits.c adds, perf_run.c writes.
 */

enum { PERCENT_OF_DRAWS = 100 };

void thread_scatter_add(ThreadScatter *scatter, uint32_t tid, uint32_t weight)
{
	scatter->weight = weight;
	scatter->draws += (double)weight * (weight - 1);
	scatter->weights[keyed_hash_mix(tid) % THREAD_SCATTER_ROWS] += weight;
}

/* A thread whose events weigh s together was taken with the probability 1 / w: the variance of its
   estimate is s * s * (w - 1) / w. */
uint64_t thread_scatter_percent(const ThreadScatter *scatter)
{
	double squares = 0;

	if (scatter->draws <= 0)
		return PERCENT_OF_DRAWS;
	for (unsigned row = 0; row < THREAD_SCATTER_ROWS; row++)
		squares += (double)scatter->weights[row] * (double)scatter->weights[row];
	return (uint64_t)(squares * (scatter->weight - 1) / scatter->weight / scatter->draws *
			  PERCENT_OF_DRAWS);
}

enum {
	SAMPLES_MIN = 16,     /* a smaller block is not compared */
	LIKE_SIZE = 2,        /* the larger of two blocks has at most this many times the events */
	EARLY_SAMPLES = 24,   /* of the first part of a block */
	EARLY_GROWTH = 4,     /* times these, the whole block is its first part */
	SAMPLES_ASSUMED = 16, /* of independent draws, in each row */
};
#define PERCENT_MAX 1e6
#define MILLION 1e6

static double perf_scatter_square(double number)
{
	return number * number;
}

static bool has_enough(const PerfBlock *block)
{
	/* If every event is taken, nothing is estimated. */
	return block->period > 1 && block->samples >= SAMPLES_MIN;
}

static bool are_alike(const PerfBlock *a, const PerfBlock *b)
{
	return a->total <= LIKE_SIZE * b->total && b->total <= LIKE_SIZE * a->total;
}

static double variance_of(const PerfBlock *block, unsigned part)
{
	hot_assert(part < G_N_ELEMENTS(block->weights));
	return (double)block->weights[part] * (block->period - 1);
}

/* Adds the difference between the share of a part in one block and that expected from both. */
static void compare_part(PerfDifference *sum, const PerfBlock *a, const PerfBlock *b, unsigned part)
{
	double total_a = (double)a->total, total_b = (double)b->total, total = total_a + total_b;
	double weight_a = a->weights[part], weight_b = b->weights[part];
	double share = (weight_a + weight_b) / total;
	double variance = (variance_of(a, part) * perf_scatter_square(total_b) +
			   variance_of(b, part) * perf_scatter_square(total_a)) /
			  perf_scatter_square(total);

	hot_assert(part < G_N_ELEMENTS(a->weights));
	sum->squares += perf_scatter_square((weight_a * total_b - weight_b * total_a) / total);
	sum->expected += variance * (1 - share);
}

static void compare_with_before(PerfScatter *scatter)
{
	const PerfBlock *a = &scatter->before, *b = &scatter->now;

	for (unsigned part = 0; part < SCATTER_ROWS * SCATTER_PLACES; part++) {
		PerfScatterRow *row = &scatter->rows[part / SCATTER_PLACES];

		compare_part(&row->between, a, b, part);
		row->variances[part % SCATTER_PLACES] +=
			variance_of(a, part) + variance_of(b, part);
	}
	scatter->compared += a->samples + b->samples;
}

static void compare_within(PerfScatter *scatter)
{
	const PerfBlock *early = &scatter->early;
	PerfBlock late = scatter->now; /* without its first part */

	late.samples -= early->samples;
	late.total -= early->total;
	for (unsigned part = 0; part < SCATTER_ROWS * SCATTER_PLACES; part++)
		late.weights[part] -= early->weights[part];
	for (unsigned part = 0; has_enough(&late) && part < SCATTER_ROWS * SCATTER_PLACES; part++)
		compare_part(&scatter->rows[part / SCATTER_PLACES].within, early, &late, part);
}

void perf_scatter_begin(PerfScatter *scatter, uint32_t period)
{
	if (scatter->early.samples)
		compare_within(scatter);
	if (has_enough(&scatter->before) && has_enough(&scatter->now) &&
	    are_alike(&scatter->before, &scatter->now))
		compare_with_before(scatter);
	scatter->before = scatter->now;
	scatter->now = (PerfBlock){ .period = period };
	scatter->early.samples = 0;
}

void perf_scatter_add(PerfScatter *scatter, unsigned row, uint64_t place)
{
	PerfBlock *block = &scatter->now;
	unsigned hash = (unsigned)(place * 0x9e3779b97f4a7c15ULL >> 60);

	block->samples++;
	block->total += block->period;
	block->weights[row * SCATTER_PLACES + hash] += block->period;
	if (block->samples == EARLY_SAMPLES ||
	    (block->samples > EARLY_SAMPLES &&
	     block->samples == EARLY_GROWTH * scatter->early.samples))
		scatter->early = *block;
}

static void add_difference(PerfDifference *sum, const PerfDifference *added)
{
	sum->squares += added->squares;
	sum->expected += added->expected;
}

void perf_scatter_sum(PerfScatter *sum, const PerfScatter *added)
{
	for (unsigned i = 0; i < SCATTER_ROWS; i++) {
		add_difference(&sum->rows[i].between, &added->rows[i].between);
		add_difference(&sum->rows[i].within, &added->rows[i].within);
		for (unsigned j = 0; j < SCATTER_PLACES; j++)
			sum->rows[i].variances[j] += added->rows[i].variances[j];
	}
	sum->compared += added->compared;
}

/* Returns the ratio of differences to those of draws, beside some assumed draws; at least 1. */
static double perf_scatter_ratio(const PerfDifference *difference, double assumed)
{
	double expected = difference->expected + assumed;

	return expected > 0 ? MAX((difference->squares + assumed) / expected, 1) : 1;
}

uint32_t perf_scatter_percent(const PerfScatter *scatter, unsigned row)
{
	double expected = 0, assumed = 0, between, within, percent;

	hot_assert(row < G_N_ELEMENTS(scatter->rows));
	for (unsigned i = 0; i < SCATTER_ROWS; i++)
		expected += scatter->rows[i].between.expected;
	/* What a sample of independent draws adds to the differences, on average. */
	if (scatter->compared > 0)
		assumed = SAMPLES_ASSUMED * (expected / scatter->compared);
	between = perf_scatter_ratio(&scatter->rows[row].between, assumed);
	within = perf_scatter_ratio(&scatter->rows[row].within, assumed);
	percent = (1 + MAX(between - within, 0)) * PERF_SCATTER_OF_DRAWS;
	return (uint32_t)MIN(percent, PERCENT_MAX);
}

static double variance_of_row(const PerfScatterRow *row)
{
	double sum = 0;

	for (unsigned i = 0; i < SCATTER_PLACES; i++)
		sum += row->variances[i];
	return sum;
}

uint32_t perf_scatter_part(const PerfScatter *scatter, unsigned row)
{
	const PerfScatterRow *of = &scatter->rows[row];
	double all = 0, squares = 0;

	hot_assert(row < G_N_ELEMENTS(scatter->rows));
	for (unsigned i = 0; i < SCATTER_ROWS; i++)
		all += variance_of_row(&scatter->rows[i]);
	for (unsigned i = 0; i < SCATTER_PLACES; i++)
		squares += perf_scatter_square(of->variances[i]);
	return squares > 0 ? (uint32_t)(squares / variance_of_row(of) / all * MILLION) : 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/margin.h"

#include "collect/perf/perf_scatter.h"
#include "leaks.h"
#include "perf_loop.h"

#include <criterion/criterion.h>
#include <math.h>

/* What the kernel calls them. */
typedef uint32_t u32;
typedef uint64_t u64;
#include "../stap/sampling.h"

TEST_SUITE_WITHOUT_LEAKS(margin);

enum { SITES = 12, RUNS = 1000 };

/* How many margins there were, and how many of them had the truth within. */
typedef struct {
	unsigned margins;
	unsigned right;
} Coverage;

static void cover(Coverage *coverage, double variance, uint64_t estimate, uint64_t truth)
{
	double off = fabs((double)estimate - (double)truth) * 100;

	if (!estimate)
		return;
	coverage->margins++;
	coverage->right += off <= margin_percent(variance, estimate) * (double)estimate;
}

static double percent_right(const Coverage *coverage)
{
	return coverage->right * 100.0 / coverage->margins;
}

/* 95 % of them, but for the shape of what few samples make. */
static void expect_95_percent(const Coverage *coverage, const char *of_what)
{
	double percent = percent_right(coverage);

	cr_expect_geq(coverage->margins, RUNS);
	cr_expect(percent >= 90 && percent <= 99, "%s: %.1f %% of %u", of_what, percent,
		  coverage->margins);
}

/* A load whose call sites have a cell each, and objects of their own size. */
typedef struct {
	uint64_t truths[SITES];
	ProfileCell cells[SITES];
	ProfileOrigin origins[SITES];
	uint64_t samples;
	double variance;
} Load;

static void load_init(Load *load)
{
	*load = (Load){ .truths = { 0 } };
	for (unsigned site = 0; site < SITES; site++) {
		load->origins[site].bytes_requested = 24 << site / 2;
		load->origins[site].bytes_allocated = 32 << site / 2;
	}
}

/* As the profile counts. */
static void count(Load *load, unsigned site, uint64_t weight)
{
	load->truths[site]++;
	load->samples += weight > 0;
	load->variance += (double)(weight ? weight * (weight - 1) : 0);
	load->cells[site].events += weight;
	load->cells[site].variance += weight ? weight * (weight - 1) : 0;
}

/* Each site, and all of them together. */
typedef struct {
	Coverage sites, sums, bytes;
} Coverages;

/* scatter: of the first row; NULL: as that of independent draws. */
static Sampling sampling_of_load(const Load *load, const PerfScatter *scatter)
{
	Sampling sampling = { .of_sample = load->variance / (double)load->samples,
			      .variance = load->variance };

	if (!scatter)
		return sampling;
	sampling.scatter[0].percent = perf_scatter_percent(scatter, 0);
	sampling.scatter[0].part = (float)perf_scatter_part(scatter, 0) / 1e6F;
	return sampling;
}

static void cover_load(Coverages *coverages, const Load *load, const PerfScatter *scatter)
{
	const Sampling all = sampling_of_load(load, scatter);
	Variance sum = { .allocations = 0 };
	uint64_t truth = 0, estimate = 0, bytes_truth = 0, bytes = 0;

	for (unsigned site = 0; site < SITES; site++) {
		uint64_t size = load->origins[site].bytes_allocated;
		const CellSampling sampling = {
			.of_sample = all.of_sample,
			.scatter = sampling_scatter(&all, 0, &load->cells[site]),
		};
		Variance own = { .allocations = 0 };

		variance_add_cell(&own, &load->cells[site], &load->origins[site], sampling);
		cover(&coverages->sites, variance_of_events(&own), load->cells[site].events,
		      load->truths[site]);
		variance_add(&sum, &own);
		truth += load->truths[site];
		estimate += load->cells[site].events;
		bytes_truth += load->truths[site] * size;
		bytes += load->cells[site].events * size;
	}
	cover(&coverages->sums, variance_of_events(&sum), estimate, truth);
	cover(&coverages->bytes,
	      variance_of_amount(&sum, sum.bytes_allocated, (double)bytes, estimate), bytes,
	      bytes_truth);
}

/* The period changes, as it does where probes take too much time. */
static void draw_load(Load *load, uint64_t *random)
{
	enum { PERIODS = 3, EVENTS_OF_ONE = 600 };

	load_init(load);
	for (int i = 0; i < PERIODS; i++) {
		uint32_t period = 2 + perf_period_random(random) % 99;
		uint32_t taken_below = kmt_taken_below(period);

		for (uint32_t j = 0; j < EVENTS_OF_ONE * period; j++)
			count(load, perf_period_random(random) % 16 % SITES,
			      kmt_draw(random, period, taken_below));
	}
}

Test(margin, has_the_truth_in_95_percent_of_the_runs_where_events_are_drawn)
{
	Coverages coverages = { .sites = { 0, 0 } };
	uint64_t random = 1;
	Load load;

	for (int i = 0; i < RUNS; i++) {
		draw_load(&load, &random);
		cover_load(&coverages, &load, NULL);
	}
	expect_95_percent(&coverages.sites, "call sites");
	expect_95_percent(&coverages.sums, "sums");
	expect_95_percent(&coverages.bytes, "bytes");
}

/* A loop whose turn has call sites at random, and the reader of its events. */
typedef struct {
	Load load;
	PerfLoop perf;
	PerfScatter scatter;
	uint64_t random;
	unsigned places, next;
	uint8_t sites[1000]; /* by place */
} Turn;

static void turn_init(Turn *turn, unsigned places_min, unsigned places_max, uint64_t random)
{
	*turn = (Turn){ .random = random };
	load_init(&turn->load);
	perf_loop_init(&turn->perf, random);
	turn->places =
		places_min + perf_period_random(&turn->random) % (places_max - places_min + 1);
	for (unsigned i = 0; i < turn->places; i++)
		turn->sites[i] = (uint8_t)(perf_period_random(&turn->random) % 16 % SITES);
}

static void event(Turn *turn)
{
	unsigned site = turn->sites[turn->next];
	uint32_t weight = perf_loop_event(&turn->perf);

	turn->next = (turn->next + 1) % turn->places;
	count(&turn->load, site, weight);
	if (turn->perf.has_begun)
		perf_scatter_begin(&turn->scatter, perf_weight_period(&turn->perf.weight));
	if (weight > 1)
		perf_scatter_add(&turn->scatter, 0, site);
}

static void events(Turn *turn, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		event(turn);
}

/* Changes fall at any place of the turn. */
static void block(Turn *turn, uint32_t nominal)
{
	enum { EVENTS = 1200, STAGE_EVENTS = 400, SAMPLES = 16 };
	PerfLoop *perf = &turn->perf;
	uint32_t period = perf_period_draw(&perf->random, nominal);

	perf_loop_park(perf);
	events(turn, 1);
	perf_loop_aim(perf, period);
	events(turn, 1 + perf_period_random(&turn->random) % STAGE_EVENTS);
	perf_loop_start(perf, period);
	events(turn, 1);
	perf_loop_retire(perf);
	events(turn, MAX(EVENTS, SAMPLES * nominal));
}

static void sample_turn(Turn *turn, uint32_t nominal)
{
	enum { BLOCKS = 30 };

	for (int i = 0; i < BLOCKS; i++)
		block(turn, nominal);
	cr_expect_eq(turn->perf.weight.lost, 0);
}

Test(margin, has_the_truth_in_95_percent_of_the_runs_where_the_kernel_takes_each_nth_event)
{
	Coverages coverages = { .sites = { 0, 0 } };
	Turn turn;

	for (uint64_t i = 0; i < RUNS; i++) {
		turn_init(&turn, 20, 1000, i * 7919 + 1);
		sample_turn(&turn, 4 + (uint32_t)i % 97);
		cover_load(&coverages, &turn.load, &turn.scatter);
	}
	expect_95_percent(&coverages.sites, "call sites");
}

/* 31 and 62 are the turn of a loop that one of the periods sees at one or two places alone. */
Test(margin, is_wider_by_the_scatter_where_a_loop_keeps_time_with_the_period)
{
	Coverages coverages = { .sites = { 0, 0 } }, of_draws = { .sites = { 0, 0 } };
	Turn turn;

	for (uint64_t i = 0; i < RUNS; i++) {
		turn_init(&turn, 31 << i % 2, 31 << i % 2, i * 7919 + 1);
		sample_turn(&turn, 20);
		cover_load(&coverages, &turn.load, &turn.scatter);
		cover_load(&of_draws, &turn.load, NULL);
	}
	expect_95_percent(&coverages.sites, "with the scatter");
	cr_expect_lt(percent_right(&of_draws.sites), 85, "%.1f %%", percent_right(&of_draws.sites));
}

Test(margin, is_1_96_standard_errors_in_percent)
{
	/* One of 10: 100 were taken. */
	cr_expect_float_eq(margin_percent(100 * 10 * 9, 1000), 196 * sqrt(90) / 100, 1e-9);
	cr_expect_eq(margin_percent(0, 1000), 0);
	cr_expect_eq(margin_percent(90, 0), 0);
	/* Nothing is known, but it is a number. */
	cr_expect_eq(margin_percent(INFINITY, 1), MARGIN_PERCENT_MAX);
	cr_expect_eq(margin_percent(1e6, 1), MARGIN_PERCENT_MAX);
}

Test(margin, of_bytes_is_that_of_each_size_together)
{
	const ProfileCell cell = { .events = 100, .variance = 900 };
	const ProfileOrigin small = { .bytes_requested = 10, .bytes_allocated = 16 };
	const ProfileOrigin large = { .bytes_requested = 100, .bytes_allocated = 128 };
	const CellSampling of_draws = { .scatter = 1 };
	Variance sum = { .allocations = 0 };

	variance_add_cell(&sum, &cell, &small, of_draws);
	variance_add_cell(&sum, &cell, &large, of_draws);
	cr_expect_float_eq(sum.allocations, 2 * 900, 1e-9);
	cr_expect_float_eq(sum.bytes_requested, 900.0 * (10 * 10 + 100 * 100), 1e-6);
	cr_expect_float_eq(sum.bytes_allocated, 900.0 * (16 * 16 + 128 * 128), 1e-6);
	cr_expect_float_eq(sum.bytes_wasted, 900.0 * (6 * 6 + 28 * 28), 1e-6);
}

Test(margin, what_is_exact_or_has_no_bytes_has_none)
{
	const ProfileCell exact = { .events = 100 }, full = { .events = 1, .variance = UINT64_MAX };
	const ProfileOrigin origin = { .bytes_requested = 10, .bytes_allocated = 10 };
	const CellSampling scattered = { .scatter = 5 };
	Variance sum = { .allocations = 0 };

	variance_add_cell(&sum, &exact, &origin, scattered);
	cr_expect_eq(sum.allocations, 0);
	cr_expect_eq(sum.bytes_allocated, 0);
	cr_expect_eq(variance_of_events(&sum), 0);
	/* A sum that has saturated is not taken for a small one. */
	variance_add_cell(&sum, &full, &origin, scattered);
	cr_expect(isinf(sum.allocations));
	cr_expect_eq(sum.bytes_wasted, 0);
}

/* A few events that were all taken say little if others were left out meanwhile: one of 5 was
   taken for most of the time. */
Test(margin, of_a_row_whose_events_were_all_taken_is_not_0)
{
	const ProfileCell cell = { .events = 2 };
	const ProfileOrigin origin = { .bytes_allocated = 10 };
	const CellSampling sampling = { .of_sample = 12, .scatter = 1 };
	Variance sum = { .allocations = 0 }, other = { .allocations = 48, .of_sample = 10 };

	variance_add_cell(&sum, &cell, &origin, sampling);
	cr_expect_eq(variance_of_events(&sum), MARGIN_MORE_SAMPLES * 12);
	cr_expect_eq(variance_of_amount(&sum, 0, 20, 2), MARGIN_MORE_SAMPLES * 12 * 100);
	/* However many cells a row has. */
	variance_add(&sum, &other);
	cr_expect_eq(variance_of_events(&sum), 48 + MARGIN_MORE_SAMPLES * 12);
}

/* Few events, periods between 1 and 7, and a run that is as short: at most 7 % are outside. */
Test(margin, of_few_events_has_the_truth_where_all_are_taken_at_times)
{
	enum { ROWS = 4000, BLOCKS = 100, EVENTS_MAX = 200 };
	uint64_t random = 5;
	Coverage coverage = { 0, 0 };

	for (int row = 0; row < ROWS; row++) {
		uint32_t truth = 5 + perf_period_random(&random) % (EVENTS_MAX - 5);
		uint32_t periods[BLOCKS];
		double variance = 0, more = 0, rate = 0;
		uint64_t estimate = 0;

		for (int i = 0; i < BLOCKS; i++) {
			periods[i] = perf_period_draw(&random, 2 + (uint32_t)row % 3);
			more += periods[i] - 1;
			rate += 1.0 / periods[i];
		}
		for (uint32_t i = 0; i < truth; i++) {
			uint32_t period = periods[perf_period_random(&random) % BLOCKS];

			if (perf_period_random(&random) % period)
				continue;
			estimate += period;
			variance += (double)period * (period - 1);
		}
		cover(&coverage, variance + MARGIN_MORE_SAMPLES * more / rate, estimate, truth);
	}
	cr_expect_geq(percent_right(&coverage), 93, "%.1f %%", percent_right(&coverage));
}

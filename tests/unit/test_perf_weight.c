/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_weight.h"

#include "collect/perf/perf_period.h"
#include "leaks.h"
#include "perf_loop.h"

#include <criterion/criterion.h>
#include <math.h>

TEST_SUITE_WITHOUT_LEAKS(perf_weight);

enum {
	NOMINAL_MAX = 100,
	SITES_MAX = 12, /* allocations of one turn of a loop */
	QUIET = SITES_MAX,
	ROWS,
	RUNS = 10,
	BLOCKS = 30,
	BLOCK_EVENTS = 1200,
};

/* Places whose events are estimated: those of a loop, and a quiet one. */
typedef struct {
	PerfLoop perf;
	unsigned sites, next; /* which site is next */
	uint64_t quiet_of;    /* one of as many events is the quiet place's */
	uint64_t truths[ROWS];
	uint64_t estimates[ROWS];
	uint64_t variances[ROWS]; /* as ProfileCell has them */
} Loop;

static void event(Loop *loop)
{
	bool is_quiet =
		loop->quiet_of && perf_period_random(&loop->perf.random) % loop->quiet_of == 0;
	unsigned row = is_quiet ? (unsigned)QUIET : loop->next;
	uint64_t weight = perf_loop_event(&loop->perf);

	if (!is_quiet)
		loop->next = (row + 1) % loop->sites;
	loop->truths[row]++;
	loop->estimates[row] += weight;
	loop->variances[row] += weight * (weight ? weight - 1 : 0);
}

static void events(Loop *loop, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		event(loop);
}

/* The worst case: changes fall at one place of the loop's turn, as where it sleeps. */
static void turn_to_start(Loop *loop)
{
	while (loop->next)
		event(loop);
}

/* A turn of the twins takes some events in each stage. */
static void block(Loop *loop, uint32_t period, uint64_t length)
{
	PerfLoop *perf = &loop->perf;

	turn_to_start(loop);
	perf_loop_park(perf);
	events(loop, 1 + perf_period_random(&perf->random) % 5);
	perf_loop_aim(perf, period);
	events(loop, 1 + perf_period_random(&perf->random) % 200);
	turn_to_start(loop);
	perf_loop_start(perf, period);
	events(loop, 1 + perf_period_random(&perf->random) % 3);
	perf_loop_retire(perf);
	events(loop, length);
}

/* The sums of all runs. */
typedef struct {
	double truth;
	double error; /* estimate less truth */
	double variance;
} Sum;

static void sum_up(Sum sums[ROWS], const Loop *loop)
{
	cr_expect_eq(loop->perf.weight.lost, 0, "%lu lost", (unsigned long)loop->perf.weight.lost);
	for (unsigned row = 0; row < ROWS; row++) {
		sums[row].truth += (double)loop->truths[row];
		sums[row].error += (double)loop->estimates[row] - (double)loop->truths[row];
		sums[row].variance += (double)loop->variances[row];
	}
}

static void run(Sum sums[ROWS], unsigned sites, uint32_t nominal, uint64_t random)
{
	Loop loop = { .sites = sites };

	perf_loop_init(&loop.perf, random);
	for (int i = 0; i < BLOCKS; i++)
		block(&loop, perf_period_draw(&loop.perf.random, nominal), BLOCK_EVENTS);
	sum_up(sums, &loop);
}

/* Adds what the runs of a loop are off, by site. */
static void try_loop(Sum all[ROWS], unsigned sites, uint32_t nominal)
{
	for (unsigned i = 0; i < RUNS; i++)
		run(all, sites, nominal, nominal * 1000003ULL + sites * 101 + i);
}

Test(perf_weight, loops_are_estimated_without_bias_at_every_period)
{
	for (unsigned sites = 1; sites <= SITES_MAX; sites++) {
		Sum all[ROWS] = { { 0, 0, 0 } };

		for (uint32_t nominal = 2; nominal <= NOMINAL_MAX; nominal++)
			try_loop(all, sites, nominal);
		for (unsigned site = 0; site < sites; site++)
			cr_expect_float_eq(all[site].error / all[site].truth, 0, 0.01,
					   "site %u of %u: %f", site, sites,
					   all[site].error / all[site].truth);
	}
}

/* Series are as short as a period: what none of their samples stands for must not be missing in the
   mean. */
static void run_quiet(Sum sums[ROWS], uint64_t random)
{
	enum { SHORT_BLOCKS = 400, SITES = 7 };
	static const uint32_t periods[] = { 1, 2, 3, 5, 7, 13, 50, 211 };
	Loop loop = { .sites = SITES, .quiet_of = 40 };

	perf_loop_init(&loop.perf, random);
	for (int i = 0; i < SHORT_BLOCKS; i++) {
		uint32_t period = periods[perf_period_random(&loop.perf.random) % 8];
		/* The busy loop comes and goes. */
		bool is_busy = perf_period_random(&loop.perf.random) % 2;

		loop.quiet_of = is_busy ? 40 : 2;
		block(&loop, period, is_busy ? 2ULL * period : period / 2);
	}
	sum_up(sums, &loop);
}

Test(perf_weight, a_quiet_place_beside_a_loop_that_comes_and_goes_is_estimated_without_bias)
{
	enum { QUIET_RUNS = 800 };
	Sum sums[ROWS] = { { 0, 0, 0 } };

	for (uint64_t i = 0; i < QUIET_RUNS; i++)
		run_quiet(sums, i * 7919 + 1);
	for (unsigned row = 0; row < ROWS; row++) {
		if (!sums[row].truth)
			continue;
		cr_expect_float_eq(sums[row].error / sums[row].truth, 0, 0.02, "row %u: %f of %f",
				   row, sums[row].error, sums[row].truth);
		cr_expect(sums[row].error * sums[row].error <= 9 * sums[row].variance,
			  "row %u: %f, standard error %f", row, sums[row].error,
			  sqrt(sums[row].variance));
	}
}

/* A turn while the ring may be full. The twin before is retired once the series has begun. */
static void crowded_block(Loop *loop, uint32_t period)
{
	enum { LONG = 4000 };
	PerfLoop *perf = &loop->perf;

	perf_loop_park(perf);
	events(loop, 2);
	perf_loop_aim(perf, period);
	perf->is_full = perf_period_random(&perf->random) % 2;
	events(loop, 2);
	perf_loop_start(perf, period);
	events(loop, perf_period_random(&perf->random) % LONG);
	perf->is_full = false;
	while (perf->weight.series[perf->twin].is_starting)
		event(loop);
	/* The reader has no CPU, again. */
	perf->is_full = perf_period_random(&perf->random) % 2;
	events(loop, perf_period_random(&perf->random) % LONG);
	perf_loop_retire(perf);
	perf->is_full = false;
	events(loop, perf_period_random(&perf->random) % LONG);
}

Test(perf_weight, an_event_is_lost_once_even_while_the_twins_take_turns)
{
	enum { TURNS = 2000 };
	static const uint32_t periods[] = { 1, 1, 5, 13, 50 };
	Loop loop = { .sites = 1 };
	double sum;

	perf_loop_init(&loop.perf, 5);
	for (int i = 0; i < TURNS; i++)
		crowded_block(&loop, periods[perf_period_random(&loop.perf.random) % 5]);
	perf_weight_end(&loop.perf.weight, loop.perf.twin, loop.perf.twins[loop.perf.twin].count);
	sum = (double)(loop.estimates[0] + loop.perf.weight.lost) / (double)loop.truths[0];
	cr_expect_gt(loop.perf.weight.lost, loop.truths[0] / 10);
	cr_expect_float_eq(sum, 1, 0.002, "%f of what happened; lost: %f", sum,
			   (double)loop.perf.weight.lost / (double)loop.truths[0]);
}

/* Each event of a series is taken with the same probability, also the first ones. */
Test(perf_weight, each_event_of_a_series_has_the_same_chance)
{
	enum { PERIOD = 5, PLACES = 4 * PERIOD, TRIES = 20000 };
	uint64_t taken[PLACES] = { 0 };
	PerfLoop loop;

	for (uint64_t i = 0; i < TRIES; i++) {
		perf_loop_init(&loop, i * 2654435761U + 1);
		perf_loop_event(&loop);
		perf_loop_park(&loop);
		perf_loop_event(&loop);
		perf_loop_aim(&loop, PERIOD);
		perf_loop_event(&loop);
		perf_loop_start(&loop, PERIOD);
		cr_assert_eq(perf_loop_event(&loop), 1);
		perf_loop_retire(&loop);
		for (unsigned place = 0; place < PLACES; place++)
			taken[place] += perf_loop_event(&loop);
	}
	for (unsigned place = 0; place < PLACES; place++)
		cr_expect_float_eq((double)taken[place] / TRIES, 1, 0.06, "place %u: %f", place,
				   (double)taken[place] / TRIES);
}

Test(perf_weight, one_of_n_is_taken_in_the_mean)
{
	enum { DRAWS = 200000 };
	uint64_t random = 3;

	for (uint32_t nominal = 2; nominal <= 4096; nominal += nominal / 5 + 1) {
		double taken = 0;

		for (int i = 0; i < DRAWS; i++)
			taken += 1.0 / perf_period_draw(&random, nominal);
		cr_expect_float_eq(taken / DRAWS * nominal, 1, 0.12, "1/%u: %f", nominal,
				   DRAWS / taken);
	}
	cr_expect_eq(perf_period_draw(&random, 1), 1);
}

/* 1, a prime number, or one without a divisor up to 12; and the variance is that of the period
   asked for, or up to 2.6 times as much where 1 is mixed with larger periods. The loop of a pipe
   has seven allocations, so 7 is no period. */
Test(perf_weight, no_period_has_a_small_divisor)
{
	enum { DRAWS = 3000 };
	uint64_t random = 4;

	for (uint32_t nominal = 2; nominal < 3000; nominal++) {
		double variance = 0;

		for (int i = 0; i < DRAWS; i++) {
			uint32_t period = perf_period_draw(&random, nominal);

			cr_assert_lt(period, 2 * nominal + 32);
			cr_assert_neq(period, 7);
			for (uint32_t divisor = 2; divisor <= SITES_MAX; divisor++)
				cr_assert(period % divisor || period == divisor, "%u for %u",
					  period, nominal);
			variance += (double)(period - 1) / DRAWS;
		}
		cr_expect_lt(variance, (nominal < 12 ? 2.75 : 1.25) * (nominal - 1), "%u: %f",
			     nominal, variance);
	}
}

/* A series of a twin whose period was set with the ring's head there. */
static PerfWeight begun(uint32_t period, uint64_t position)
{
	const PerfStart start = { period, 7, position, position, 100, 0 };
	PerfWeight weight = { .lost = 0 };

	perf_weight_start(&weight, 0, &start);
	return weight;
}

Test(perf_weight, each_event_stands_for_itself_from_the_first_one_on)
{
	PerfWeight weight = begun(1, 64);

	/* Of before the period was set. */
	cr_expect_eq(perf_weight_take(&weight, 0, 0, 50), 0);
	/* Of before its count was read. */
	for (uint64_t i = 0; i < 10; i++)
		cr_expect_eq(perf_weight_take(&weight, 0, 64 + i * 8, 99 + i), 1);
	cr_expect_eq(weight.lost, 0);
	cr_expect_not(perf_weight_is_behind(&weight, 0, 108));
	cr_expect(perf_weight_is_behind(&weight, 0, 109));
	perf_weight_end(&weight, 0, 110);
	cr_expect_eq(weight.lost, 2);
}

Test(perf_weight, an_event_that_never_came_is_lost)
{
	PerfWeight weight = begun(1, 64);

	cr_expect_not(perf_weight_is_behind(&weight, 0, 100));
	cr_expect(perf_weight_is_behind(&weight, 0, 101));
	perf_weight_end(&weight, 0, 103);
	cr_expect_eq(weight.lost, 3);
}

Test(perf_weight, what_is_missing_between_two_samples_is_lost)
{
	PerfWeight weight = begun(1, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 0, 101), 1);
	cr_expect_eq(perf_weight_take(&weight, 0, 8, 112), 1);
	cr_expect_eq(weight.lost, 10);
	cr_expect_eq(weight.lost_samples, 10);
	weight = begun(13, 0);
	/* The first one is certain, the second one is the 7th event. */
	cr_expect_eq(perf_weight_take(&weight, 0, 0, 150), 1);
	cr_expect_eq(perf_weight_take(&weight, 0, 8, 156), 13);
	cr_expect_eq(perf_weight_take(&weight, 0, 16, 169), 13);
	cr_expect_eq(perf_weight_take(&weight, 0, 24, 169 + 6 * 13), 13);
	cr_expect_eq(weight.lost, 5 * 13);
	cr_expect_eq(weight.lost_samples, 5);
	/* Not yet a whole period. */
	cr_expect_not(perf_weight_is_behind(&weight, 0, 169 + 6 * 13 + 12));
	perf_weight_end(&weight, 0, 169 + 8 * 13 + 12);
	cr_expect_eq(weight.lost, 7 * 13);
}

Test(perf_weight, a_twin_counts_from_its_first_sample_on)
{
	const PerfStart start = { 5, 3, 16, 24, 2, 102 };
	PerfWeight weight = begun(1, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 0, 101), 1);
	/* It is parked. */
	cr_expect_eq(perf_weight_take(&weight, 1, 8, 1), 0);
	perf_weight_start(&weight, 1, &start);
	cr_expect_eq(perf_weight_take(&weight, 0, 16, 102), 1);
	cr_expect_eq(perf_weight_period(&weight), 1);
	cr_expect_eq(perf_weight_take(&weight, 1, 24, 3), 1);
	cr_expect(weight.has_begun);
	cr_expect_eq(perf_weight_period(&weight), 5);
	/* The same event, and one more: they no longer count. */
	cr_expect_eq(perf_weight_take(&weight, 0, 32, 103), 0);
	cr_expect_eq(perf_weight_take(&weight, 0, 40, 104), 0);
	cr_expect_eq(perf_weight_take(&weight, 1, 48, 5), 5);
	perf_weight_end(&weight, 0, 104);
	perf_weight_end(&weight, 1, 9);
	cr_expect_eq(weight.lost, 0);
}

/* An interrupt's events come before the one that it interrupted, which has the newest count. */
Test(perf_weight, an_interrupted_event_is_not_lost)
{
	PerfWeight weight = begun(1, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 0, 101), 1);
	for (uint64_t i = 0; i < 5; i++)
		cr_expect_eq(perf_weight_take(&weight, 0, 8 + i * 8, 103 + i), 1);
	perf_weight_settle(&weight);
	cr_expect_eq(perf_weight_take(&weight, 0, 48, 107), 1);
	cr_expect_eq(perf_weight_take(&weight, 0, 56, 107), 0, "no event has two samples");
	cr_expect_eq(perf_weight_take(&weight, 0, 64, 108), 1);
	perf_weight_end(&weight, 0, 108);
	cr_expect_eq(weight.lost, 0);
}

/* The counts of a sample that was interrupted, and of the one after it, are too large. */
Test(perf_weight, an_interrupted_sample_of_many_is_not_lost)
{
	PerfWeight weight = begun(5, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 0, 101), 1);
	cr_expect_eq(perf_weight_take(&weight, 0, 8, 107 + 2), 5);
	cr_expect_eq(perf_weight_take(&weight, 0, 16, 112), 5);
	/* 117 was interrupted by the event 122. */
	cr_expect_eq(perf_weight_take(&weight, 0, 24, 122), 5);
	cr_expect_eq(perf_weight_take(&weight, 0, 32, 122), 5);
	cr_expect_eq(perf_weight_take(&weight, 0, 40, 127), 5);
	perf_weight_end(&weight, 0, 130);
	cr_expect_eq(weight.lost, 0);
}

Test(perf_weight, what_is_waited_for_in_vain_is_lost)
{
	PerfWeight weight = begun(1, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 0, 101), 1);
	cr_expect_eq(perf_weight_take(&weight, 0, 8, 103), 1);
	perf_weight_settle(&weight);
	cr_expect_eq(weight.lost, 0);
	perf_weight_settle(&weight);
	cr_expect_eq(weight.lost, 1);
	cr_expect_eq(perf_weight_take(&weight, 0, 16, 105), 1);
	perf_weight_end(&weight, 0, 106);
	cr_expect_eq(weight.lost, 3);
	cr_expect_eq(weight.lost_samples, 3);
}

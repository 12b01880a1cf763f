/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_weight.h"

#include "collect/perf/perf_period.h"
#include "leaks.h"
#include "perf_loop.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(perf_weight);

enum {
	NOMINAL_MAX = 100,
	SITES_MAX = 12, /* allocations of one turn of a loop */
	RUNS = 10,
	BLOCKS = 30,
	BLOCK_EVENTS = 1200,
	BLOCK_SAMPLES = 16,
};

/* A loop whose estimate is made, and its reader. */
typedef struct {
	PerfLoop perf;
	unsigned sites, next; /* which site is next */
	uint64_t truths[SITES_MAX];
	uint64_t estimates[SITES_MAX];
	uint64_t variances[SITES_MAX]; /* as ProfileCell has them */
} Loop;

static void event(Loop *loop)
{
	unsigned site = loop->next;
	uint64_t weight = perf_loop_event(&loop->perf);

	loop->next = (site + 1) % loop->sites;
	loop->truths[site]++;
	loop->estimates[site] += weight;
	loop->variances[site] += weight * (weight ? weight - 1 : 0);
}

static void loop_init(Loop *loop, unsigned sites, uint64_t random)
{
	*loop = (Loop){ .sites = sites };
	perf_loop_init(&loop->perf, random);
}

/* The worst case: changes fall at one place of the loop's turn, as where it sleeps. */
static void turn_to_start(Loop *loop)
{
	while (loop->next)
		event(loop);
}

static void block(Loop *loop, uint32_t nominal)
{
	PerfLoop *perf = &loop->perf;

	perf_loop_change(perf, perf_period_aim(&perf->random), true);
	event(loop);
	turn_to_start(loop);
	perf_loop_change(perf, perf_period_draw(&perf->random, nominal), false);
	for (unsigned i = 0; i < BLOCK_EVENTS || perf->samples < BLOCK_SAMPLES; i++)
		event(loop);
	turn_to_start(loop);
}

/* The sums of all runs, by site. */
typedef struct {
	double truth;
	double error; /* estimate less truth */
	double variance;
} Sum;

static void run(Sum sums[SITES_MAX], unsigned sites, uint32_t nominal, uint64_t random)
{
	Loop loop;

	loop_init(&loop, sites, random);
	for (int i = 0; i < BLOCKS; i++)
		block(&loop, nominal);
	cr_expect_eq(loop.perf.weight.lost, 0);
	for (unsigned site = 0; site < sites; site++) {
		sums[site].truth += (double)loop.truths[site];
		sums[site].error += (double)loop.estimates[site] - (double)loop.truths[site];
		sums[site].variance += (double)loop.variances[site];
	}
}

/* The mean of all runs is off by no more than 4 standard errors, as a report gives them. */
static void expect_within_margin(const Sum *sum, uint32_t nominal, unsigned site, unsigned sites)
{
	cr_expect(sum->error * sum->error <= 4 * 4 * sum->variance,
		  "1/%u, site %u of %u: %.0f of %.0f", nominal, site, sites, sum->error,
		  sum->truth);
}

/* Adds what the runs of a loop are off, by site. */
static void try_loop(Sum all[SITES_MAX], unsigned sites, uint32_t nominal)
{
	Sum sums[SITES_MAX] = { { 0, 0, 0 } };

	for (unsigned i = 0; i < RUNS; i++)
		run(sums, sites, nominal, nominal * 1000003ULL + sites * 101 + i);
	for (unsigned site = 0; site < sites; site++) {
		expect_within_margin(&sums[site], nominal, site, sites);
		all[site].truth += sums[site].truth;
		all[site].error += sums[site].error;
	}
}

Test(perf_weight, loops_are_estimated_without_bias_at_every_period)
{
	for (unsigned sites = 1; sites <= SITES_MAX; sites++) {
		Sum all[SITES_MAX] = { { 0, 0, 0 } };

		for (uint32_t nominal = 2; nominal <= NOMINAL_MAX; nominal++)
			try_loop(all, sites, nominal);
		for (unsigned site = 0; site < sites; site++)
			cr_expect_float_eq(all[site].error / all[site].truth, 0, 0.01,
					   "site %u of %u: %f", site, sites,
					   all[site].error / all[site].truth);
	}
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

Test(perf_weight, no_period_has_a_small_divisor)
{
	uint64_t random = 4;

	for (uint32_t nominal = 2; nominal < 3000; nominal++) {
		uint32_t period = perf_period_draw(&random, nominal);

		cr_assert_lt(period, 2 * nominal + 32);
		for (uint32_t divisor = 2; divisor <= SITES_MAX; divisor++)
			cr_assert_neq(period % divisor, 0, "%u for %u", period, nominal);
	}
}

/* Samples of a period that was set with the ring's head there, each at its running count. */
static PerfWeight begun(uint32_t period, uint64_t position)
{
	const PerfChange first = { period, false, position, position };
	PerfWeight weight;

	perf_weight_init(&weight, 50);
	perf_weight_change(&weight, &first, 100);
	return weight;
}

Test(perf_weight, each_event_stands_for_itself_from_the_first_one_on)
{
	PerfWeight weight = begun(1, 64);

	/* Of before the period was set. */
	cr_expect_eq(perf_weight_take(&weight, 0, 50), 0);
	for (uint64_t i = 0; i < 10; i++)
		cr_expect_eq(perf_weight_take(&weight, 64 + i * 8, 99 + i), 1);
	cr_expect_eq(weight.lost, 0);
	cr_expect_not(perf_weight_is_behind(&weight, 108));
	cr_expect(perf_weight_is_behind(&weight, 109));
	perf_weight_end(&weight, 110);
	cr_expect_eq(weight.lost, 2);
}

Test(perf_weight, what_is_missing_between_two_samples_is_lost)
{
	PerfWeight weight = begun(1, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 101), 1);
	cr_expect_eq(perf_weight_take(&weight, 8, 112), 1);
	cr_expect_eq(weight.lost, 10);
	cr_expect_eq(weight.lost_samples, 10);
	weight = begun(13, 0);
	cr_expect_eq(perf_weight_take(&weight, 0, 101), 0);
	cr_expect_eq(perf_weight_take(&weight, 8, 150), 26);
	cr_expect_eq(perf_weight_take(&weight, 16, 163), 26);
	cr_expect_eq(perf_weight_take(&weight, 24, 176), 24);
	cr_expect_eq(perf_weight_take(&weight, 32, 176 + 3 * 13), 13);
	cr_expect_eq(weight.lost, 2 * 13);
	cr_expect_eq(weight.lost_samples, 2);
	/* Not yet a whole period. */
	perf_weight_end(&weight, 176 + 3 * 13 + 12);
	cr_expect_eq(weight.lost, 2 * 13);
	perf_weight_end(&weight, 176 + 5 * 13 + 12);
	cr_expect_eq(weight.lost, 4 * 13);
}

/* An interrupt's events come before the one that it interrupted, which has the newest count. */
Test(perf_weight, an_interrupted_event_is_not_lost)
{
	PerfWeight weight = begun(1, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 101), 1);
	for (uint64_t i = 0; i < 5; i++)
		cr_expect_eq(perf_weight_take(&weight, 8 + i * 8, 103 + i), 1);
	perf_weight_settle(&weight);
	cr_expect_eq(perf_weight_take(&weight, 48, 107), 1);
	cr_expect_eq(perf_weight_take(&weight, 56, 107), 0, "no event has two samples");
	cr_expect_eq(perf_weight_take(&weight, 64, 108), 1);
	perf_weight_end(&weight, 108);
	cr_expect_eq(weight.lost, 0);
}

Test(perf_weight, what_is_waited_for_in_vain_is_lost)
{
	PerfWeight weight = begun(1, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 101), 1);
	cr_expect_eq(perf_weight_take(&weight, 8, 103), 1);
	perf_weight_settle(&weight);
	cr_expect_eq(weight.lost, 0);
	perf_weight_settle(&weight);
	cr_expect_eq(weight.lost, 1);
	cr_expect_eq(perf_weight_take(&weight, 16, 105), 1);
	perf_weight_end(&weight, 106);
	cr_expect_eq(weight.lost, 3);
	cr_expect_eq(weight.lost_samples, 3);
}

/* How many samples that were depends on the period, which may have changed on the way. */
Test(perf_weight, samples_that_were_lost_are_rather_too_few)
{
	const PerfChange change = { 1, false, 8, 8 };
	PerfWeight weight = begun(13, 0);

	cr_expect_eq(perf_weight_take(&weight, 0, 101), 0);
	perf_weight_change(&weight, &change, 0);
	perf_weight_take(&weight, 8, 101 + 1000);
	cr_expect_gt(weight.lost, 800);
	cr_expect_leq(weight.lost_samples, 1000 / 13);
}

/* While a period was being changed, samples of both may have come: none of them is lost. */
Test(perf_weight, samples_near_a_change_are_those_of_before_as_long_as_they_fit)
{
	const PerfChange near = { 17, false, 80, 104 };
	PerfWeight weight = begun(1, 0);

	for (uint64_t i = 0; i < 10; i++)
		cr_expect_eq(perf_weight_take(&weight, i * 8, 101 + i), 1);
	perf_weight_change(&weight, &near, 0);
	cr_expect_eq(perf_weight_take(&weight, 80, 111), 1);
	/* This one came at once, but is like those before; the next is farther. */
	cr_expect_eq(perf_weight_take(&weight, 88, 112), 1);
	cr_expect_eq(perf_weight_take(&weight, 96, 161), 34);
	cr_expect_eq(perf_weight_take(&weight, 104, 178), 32);
	cr_expect_eq(perf_weight_take(&weight, 112, 195), 17);
	cr_expect_eq(weight.lost, 0);
	cr_expect_eq(weight.period, 17);
}

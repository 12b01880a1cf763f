/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>
#include <stdint.h>

/* What the kernel calls them. */
typedef uint32_t u32;
typedef uint64_t u64;
#include "../stap/sampling.h"

#include "leaks.h"

TEST_SUITE_WITHOUT_LEAKS(sampling);

enum {
	PERIOD_MAX = 100,
	SITES_MAX = 12, /* allocations of one turn of a loop */
	RUNS = 10,
	TAKEN = 160, /* events of a site that are taken in a run, about */
};

/* A loop, and what is estimated of each of its call sites. */
typedef struct {
	u32 period;
	unsigned sites;
	uint64_t turns;
	uint64_t estimates[SITES_MAX];
} Loop;

static void run(Loop *loop, u64 *state)
{
	u32 taken_below = kmt_taken_below(loop->period);

	for (uint64_t i = 0; i < loop->turns; i++)
		for (unsigned site = 0; site < loop->sites; site++)
			loop->estimates[site] += kmt_draw(state, loop->period, taken_below);
}

/* Returns by how many standard errors the mean of all runs is off, squared. */
static double deviation(const Loop *loop, unsigned site)
{
	double truth = (double)loop->turns * RUNS;
	double off = (double)loop->estimates[site] - truth;

	return off * off / (truth * (loop->period - 1));
}

Test(sampling, one_of_one_is_each_event)
{
	u64 state = 1;

	for (int i = 0; i < 1000; i++)
		cr_assert_eq(kmt_draw(&state, 1, kmt_taken_below(1)), 1);
}

Test(sampling, an_event_is_taken_as_often_as_it_stands_for_others)
{
	for (u32 period = 2; period <= 1 << 20; period += period / 7 + 1)
		cr_expect_float_eq((double)kmt_taken_below(period) * period / 4294967296.0, 1, 2e-4,
				   "1/%u", period);
	cr_expect_eq(kmt_taken_below(2), 1U << 31);
	cr_expect_eq(kmt_taken_below(1 << 20), 1U << 12);
}

/* Each call site of each loop, and all of them together: their scatter is that of their error. */
Test(sampling, loops_are_estimated_without_bias_at_every_period)
{
	double squares = 0;
	unsigned estimates = 0;
	u64 state = 13;

	for (u32 period = 2; period <= PERIOD_MAX; period++)
		for (unsigned sites = 1; sites <= SITES_MAX; sites++) {
			Loop loop = { period, sites, TAKEN * (uint64_t)period, { 0 } };

			for (int i = 0; i < RUNS; i++)
				run(&loop, &state);
			for (unsigned site = 0; site < sites; site++, estimates++) {
				double off = deviation(&loop, site);

				cr_expect_lt(off, 4 * 4, "1/%u, site %u of %u: %.2f", period, site,
					     sites, off);
				squares += off;
			}
		}
	cr_expect_float_eq(squares / estimates, 1, 0.05);
}

/* Every 16th event would always be the same one. */
Test(sampling, what_is_timed_is_not_of_one_site)
{
	unsigned timed[16] = { 0 };
	u64 state = 5;

	for (int i = 0; i < 160000; i++)
		timed[i % 16] += !(kmt_random(&state) >> 28);
	for (int i = 0; i < 16; i++)
		cr_expect(timed[i] > 500 && timed[i] < 750, "site %d: %u", i, timed[i]);
}

/* Sixteen of them, and what is around each probe. */
Test(sampling, a_timed_event_stands_for_those_that_were_not_and_for_their_way_to_the_probe)
{
	cr_expect_eq(kmt_cost_ns(0), (u64)KMT_AROUND_NS * 16);
	cr_expect_eq(kmt_cost_ns(2000), (u64)(2000 + KMT_AROUND_NS) * 16);
	/* A hypervisor stopped the CPU for a second. */
	cr_expect_eq(kmt_cost_ns(1000000000), (u64)(250000 + KMT_AROUND_NS) * 16);
}

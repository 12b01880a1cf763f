/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_scatter.h"

#include "collect/perf/perf_period.h"
#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(perf_scatter);

/* Rows. */
enum { SITE_A = 1, SITE_B = 2 };

static double squares_of(const PerfScatter *scatter)
{
	double squares = 0;

	for (unsigned i = 0; i < SCATTER_ROWS; i++)
		squares += scatter->rows[i].between.squares;
	return squares;
}

static double expected_of(const PerfScatter *scatter)
{
	double expected = 0;

	for (unsigned i = 0; i < SCATTER_ROWS; i++)
		expected += scatter->rows[i].between.expected;
	return expected;
}

/* A block of that period, in which each sample stands for as many. */
static void block(PerfScatter *scatter, uint32_t period, unsigned of_a, unsigned of_b)
{
	perf_scatter_begin(scatter, period);
	for (unsigned i = 0; i < of_a; i++)
		perf_scatter_add(scatter, SITE_A, 0);
	for (unsigned i = 0; i < of_b; i++)
		perf_scatter_add(scatter, SITE_B, 0);
}

static void end(PerfScatter *scatter)
{
	perf_scatter_begin(scatter, 1);
}

/* Of each site 150 and 50 of 200: off by 50 from what both blocks together say. Of draws, that has
   a variance of (15 + 5) * 10 * 9 / 4, half of which is left as a site has half of all. */
Test(perf_scatter, neighbouring_blocks_are_compared_by_site)
{
	PerfScatter scatter = { .compared = 0 };

	block(&scatter, 10, 15, 5);
	block(&scatter, 10, 5, 15);
	end(&scatter);
	cr_expect_float_eq(squares_of(&scatter), 2 * 50 * 50, 1e-9);
	cr_expect_float_eq(expected_of(&scatter), 2 * 450 / 2.0, 1e-9);
	/* Of each site, beside 16 samples of draws: 2500 + 16 * 450 / 40 by 225 + 180. */
	cr_expect_eq(perf_scatter_percent(&scatter, SITE_A), 661);
	cr_expect_eq(perf_scatter_percent(&scatter, SITE_B), 661);
	cr_expect_eq(perf_scatter_percent(&scatter, 0), 100);
	cr_expect_eq(perf_scatter_part(&scatter, SITE_A), 500000);
}

/* Twice the events are twice the samples: nothing differs. */
Test(perf_scatter, blocks_need_not_be_of_one_length)
{
	PerfScatter scatter = { .compared = 0 };

	block(&scatter, 10, 20, 10);
	block(&scatter, 10, 40, 20);
	end(&scatter);
	cr_expect_float_eq(squares_of(&scatter), 0, 1e-9);
	cr_expect_gt(expected_of(&scatter), 0);
	cr_expect_eq(perf_scatter_percent(&scatter, SITE_A), 100);
}

Test(perf_scatter, blocks_that_say_nothing_are_not_compared)
{
	static const struct {
		uint32_t period_a;
		unsigned samples_a;
		uint32_t period_b;
		unsigned samples_b;
	} pairs[] = {
		{ 1, 500, 13, 40 },                     /* every event was taken */
		{ 13, 40, 1, 500 }, { 13, 15, 13, 15 }, /* few samples */
		{ 13, 40, 13, 81 },                     /* more than twice the events */
		{ 13, 81, 13, 40 },
	};

	for (unsigned i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		PerfScatter scatter = { .compared = 0 };

		block(&scatter, pairs[i].period_a, pairs[i].samples_a, 0);
		block(&scatter, pairs[i].period_b, 0, pairs[i].samples_b);
		end(&scatter);
		cr_expect_eq(squares_of(&scatter), 0, "pair %u", i);
		cr_expect_eq(expected_of(&scatter), 0, "pair %u", i);
		cr_expect_eq(perf_scatter_percent(&scatter, SITE_A), 100);
	}
}

/* Not the one before the one before. */
Test(perf_scatter, each_block_is_compared_with_the_one_before_it)
{
	PerfScatter scatter = { .compared = 0 };

	for (int i = 0; i < 5; i++)
		block(&scatter, 10, 10, 10);
	for (int i = 0; i < 5; i++)
		block(&scatter, 10, 20, 0);
	end(&scatter);
	cr_expect_float_eq(squares_of(&scatter), 2 * 50 * 50, 1e-9);
}

/* An event's chance is that of a draw: the scatter is that of draws. */
Test(perf_scatter, independent_draws_scatter_by_100_percent)
{
	enum { BLOCKS = 4000, EVENTS = 600, PERIOD = 13, SITES = 20 };
	PerfScatter scatter = { .compared = 0 };
	uint64_t random = 7;

	for (int i = 0; i < BLOCKS; i++) {
		perf_scatter_begin(&scatter, PERIOD);
		for (uint64_t j = 0; j < EVENTS; j++)
			if (perf_period_random(&random) % PERIOD == 0)
				perf_scatter_add(&scatter, j % SITES, 0);
	}
	end(&scatter);
	cr_expect_float_eq(squares_of(&scatter) / expected_of(&scatter), 1, 0.1, "%f",
			   squares_of(&scatter) / expected_of(&scatter));
}

/* A process that comes and goes within a block and between blocks is not one that keeps time. */
Test(perf_scatter, bursts_scatter_as_draws)
{
	enum { BLOCKS = 3000, SAMPLES = 64, PERIOD = 5, BURST = 8 };
	PerfScatter scatter = { .compared = 0 };
	uint64_t random = 9;
	uint32_t percent;

	for (int i = 0; i < BLOCKS; i++) {
		perf_scatter_begin(&scatter, PERIOD);
		for (int j = 0; j < SAMPLES; j += BURST) {
			unsigned site = perf_period_random(&random) % 8 ? SITE_A : SITE_B;

			for (int k = 0; k < BURST; k++)
				perf_scatter_add(&scatter, site, 0);
		}
	}
	end(&scatter);
	cr_expect_gt(squares_of(&scatter), 3 * expected_of(&scatter));
	percent = perf_scatter_percent(&scatter, SITE_B);
	cr_expect_lt(percent, 150, "%u %%", percent);
}

/* A loop of 13 allocations is seen at one place for as long as the period is 13. */
Test(perf_scatter, a_loop_that_keeps_time_with_the_period_scatters_more)
{
	enum { BLOCKS = 100, SAMPLES = 40, PERIOD = 13 };
	PerfScatter scatter = { .compared = 0 };
	uint64_t random = 8;

	for (int i = 0; i < BLOCKS; i++) {
		uint64_t site = perf_period_random(&random) % PERIOD;

		perf_scatter_begin(&scatter, PERIOD);
		for (int j = 0; j < SAMPLES; j++)
			perf_scatter_add(&scatter, (unsigned)site, 0);
	}
	end(&scatter);
	/* As if each block were one draw. */
	for (unsigned site = 0; site < PERIOD; site++)
		cr_expect_gt(perf_scatter_percent(&scatter, site), SAMPLES * 100 / 2);
}

/* What a row has of its own counts if there is much of it. */
Test(perf_scatter, sums_of_cpus_are_weighed_by_what_they_compared)
{
	PerfScatter sum = { .compared = 0 };
	const PerfScatter quiet = { .rows = { { .between = { 100, 100 }, .variances = { 100 } } },
				    .compared = 160 };
	const PerfScatter loop = {
		.rows = { { .between = { 500, 100 }, .variances = { 100, 200 } } }, .compared = 160
	};
	const PerfScatter huge = { .rows = { { .between = { 1e30, 1 } } }, .compared = 0 };

	cr_expect_eq(perf_scatter_percent(&sum, 0), 100);
	cr_expect_eq(perf_scatter_part(&sum, 0), 0);
	perf_scatter_sum(&sum, &quiet);
	perf_scatter_sum(&sum, &loop);
	/* 600 + 10 by 200 + 10. */
	cr_expect_eq(perf_scatter_percent(&sum, 0), 290);
	/* Two places with half of the variance each. */
	cr_expect_eq(perf_scatter_part(&sum, 0), 500000);
	perf_scatter_sum(&sum, &huge);
	cr_expect_eq(perf_scatter_percent(&sum, 0), 1000000);
}

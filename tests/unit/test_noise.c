/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/noise.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <glib.h>
#include <math.h>

TEST_SUITE_WITHOUT_LEAKS(noise);

enum { SEED = 20261124, TRIALS = 20000 };

/* Two-sided, 95 %. */
#define ERRORS_95 1.959964

static NoisyFigure count_of(double events)
{
	return (NoisyFigure){ .figure = events, .variance = events, .factor = 1 };
}

static double noise(double before, double after)
{
	return noise_of_change(count_of(before), count_of(after), ERRORS_95);
}

/* A load with events of two sizes, of which one in period is taken. */
typedef struct {
	const char *name;
	double events_mean; /* of each size in a second */
	double sizes[2];
	unsigned period;
	double seconds[2]; /* of both runs */
} Load;

static unsigned poisson(GRand *random, double mean)
{
	unsigned events = 0;

	for (double time = -log(g_rand_double(random)); time < mean;
	     time -= log(g_rand_double(random)))
		events++;
	return events;
}

/* What a run counts: each event that was taken stands for period events. */
static NoisyFigure run(const Load *load, unsigned which, GRand *random)
{
	NoisyFigure result = { .factor = 1 / load->seconds[which] };
	double period = load->period;

	for (unsigned i = 0; i < G_N_ELEMENTS(load->sizes); i++) {
		double mean = load->events_mean * load->seconds[which] / period;
		double estimate = poisson(random, mean) * period;
		double size = load->sizes[i];

		result.figure += estimate * size;
		result.variance += (estimate + estimate * (period - 1)) * size * size;
	}
	return result;
}

static double change_of(NoisyFigure before, NoisyFigure after)
{
	return after.figure * after.factor - before.figure * before.factor;
}

static bool exceeds(const Load *load, double errors, GRand *random)
{
	NoisyFigure before = run(load, 0, random), after = run(load, 1, random);

	return fabs(change_of(before, after)) > noise_of_change(before, after, errors);
}

static const Load loads[] = {
	{ "few events", 2, { 1, 1 }, 1, { 1, 1 } },
	{ "some events", 15, { 1, 1 }, 1, { 1, 1 } },
	{ "many events", 150, { 1, 1 }, 1, { 1, 1 } },
	{ "different durations", 20, { 1, 1 }, 1, { 1, 7 } },
	{ "bytes", 50, { 64, 4096 }, 1, { 1, 1 } },
	{ "sampled", 1000, { 1, 1 }, 16, { 1, 2 } },
	{ "sampled bytes", 1000, { 64, 512 }, 16, { 2, 1 } },
};

/* The exact bounds of few events are wider than 95 %, as counts are whole numbers. */
Test(noise, equal_rates_exceed_it_in_one_of_twenty_comparisons)
{
	g_autoptr(GRand) random = g_rand_new_with_seed(SEED);

	for (unsigned i = 0; i < G_N_ELEMENTS(loads); i++) {
		unsigned exceeding = 0;
		double percent;

		for (unsigned trial = 0; trial < TRIALS; trial++)
			exceeding += exceeds(&loads[i], ERRORS_95, random);
		percent = exceeding * 100.0 / TRIALS;
		cr_expect(percent <= 5.8, "%s: %.2f %%", loads[i].name, percent);
		cr_expect(percent >= (loads[i].events_mean < 10 ? 0.5 : 3), "%s: %.2f %%",
			  loads[i].name, percent);
	}
}

Test(noise, one_of_twenty_reports_has_a_row_that_exceeds_that_of_all_rows)
{
	enum { ROWS = 50, REPORTS = 1000 };
	g_autoptr(GRand) random = g_rand_new_with_seed(SEED);
	double errors = noise_errors(ROWS);
	unsigned wrong = 0;

	for (unsigned report = 0; report < REPORTS; report++) {
		bool any = false;

		for (unsigned row = 0; row < ROWS; row++)
			any |= exceeds(&loads[2], errors, random);
		wrong += any;
	}
	cr_expect(wrong >= REPORTS * 2 / 100 && wrong <= REPORTS * 7 / 100, "%u of %u", wrong,
		  REPORTS);
}

Test(noise, known_change_exceeds_it)
{
	cr_expect(noise(100, 200) < 100);
	cr_expect(noise(200, 100) < 100);
	cr_expect(noise(0, 7) < 7);
}

Test(noise, small_change_does_not_exceed_it)
{
	cr_expect(noise(100, 110) > 10);
	cr_expect(noise(0, 4) > 4);
	cr_expect(noise(4, 0) > 4);
}

/* The exact bounds of 10 are 4.795 and 18.390, that of 0 is 3.689. */
Test(noise, bounds_of_counts_are_those_of_tables)
{
	cr_expect_float_eq(noise(0, 10), hypot(10 - 4.795, 3.689), 0.1);
	cr_expect_float_eq(noise(10, 10), hypot(10 - 4.795, 18.390 - 10), 0.1);
}

Test(noise, same_in_any_unit)
{
	const NoisyFigure before = { 1e3, 64e3, 0.5 }, after = { 5e3, 320e3, 0.25 };
	const NoisyFigure kilos_before = { 1, 64e-3, 0.5 }, kilos_after = { 5, 320e-3, 0.25 };

	cr_expect_float_eq(noise_of_change(before, after, ERRORS_95),
			   noise_of_change(kilos_before, kilos_after, ERRORS_95) * 1e3, 1e-6);
}

Test(noise, nothing_is_no_change)
{
	cr_expect_float_eq(noise(0, 0), 0, 0);
}

Test(noise, not_known_without_a_variance)
{
	const NoisyFigure before = { 10, 0, 1 }, saturated = { 10, INFINITY, 1 };

	cr_expect(isinf(noise_of_change(before, before, ERRORS_95)));
	cr_expect(isinf(noise_of_change(count_of(10), saturated, ERRORS_95)));
	cr_expect(isinf(noise_of_change(count_of(0), saturated, ERRORS_95)));
}

Test(noise, errors_are_those_of_a_normal_distribution)
{
	cr_expect_float_eq(noise_errors(1), ERRORS_95, 1e-5);
	cr_expect_float_eq(noise_errors(0), ERRORS_95, 1e-5);
	cr_expect_float_eq(noise_errors(100), 3.480756, 1e-5);
}

/* By tables of Student's distribution: two-sided, 95 % and 99.9 %. */
Test(noise, errors_grow_if_the_variance_was_measured_on_few_blocks)
{
	cr_expect_float_eq(noise_errors_measured(ERRORS_95, 8), 2.365, 0.005);
	cr_expect_float_eq(noise_errors_measured(ERRORS_95, 31), 2.042, 0.002);
	cr_expect_float_eq(noise_errors_measured(3.2905, 16), 4.073, 0.01);
	cr_expect_float_eq(noise_errors_measured(3.2905, 100000), 3.2905, 0.001);
}

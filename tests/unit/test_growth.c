/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rates/growth.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <math.h>

TEST_SUITE_WITHOUT_LEAKS(growth);

#define MINUTE 60.0
#define NOISE 100e3
#define MB 1e6

/* A figure at a minute. */
typedef double (*Course)(int minute);

static uint32_t random_state = 1;

/* -1 to 1. */
static double any(void)
{
	random_state = random_state * 1664525 + 1013904223;
	return (double)(random_state >> 8) / (double)(1 << 23) - 1;
}

/* Returns in how many of so many minutes the course is said to grow steadily; the first of them in
 *first. */
static int minutes_found(Course course, int minutes, int *first)
{
	g_autoptr(Growth) growth = growth_new();
	int found_in = 0;

	*first = -1;
	for (int minute = 0; minute < minutes; minute++) {
		g_autoptr(GArray) found = NULL;

		growth_begin(growth, minute * MINUTE);
		growth_set(growth, "quiet", 5 * MB, NOISE);
		growth_set(growth, "course", course(minute), NOISE);
		growth_end(growth);
		found = growth_found(growth);
		if (found->len && *first < 0)
			*first = minute;
		found_in += found->len;
	}
	return found_in;
}

static double ramp(int minute)
{
	return 20 * MB + minute * 0.1 * MB;
}

/* 200 objects of 64 bytes a second, beside a cache that others use. */
static double leak_in_noise(int minute)
{
	return 20 * MB + MAX(minute - 30, 0) * 200 * 64 * MINUTE + any() * 0.2 * MB;
}

static double noise(int minute)
{
	(void)minute;
	return 20 * MB + any() * 5 * MB;
}

static double spike(int minute)
{
	return 20 * MB + (minute == 15) * 500 * MB;
}

static double step(int minute)
{
	return 20 * MB + (minute >= 15) * 5 * MB;
}

/* A build fills for some minutes, ends, and begins again, each a bit different. */
static double build(int minute)
{
	return 20 * MB + (minute % 9) * 3 * MB + any() * 1 * MB;
}

/* A build that lasts: it fills for some minutes, and then stays so. */
static double long_build(int minute)
{
	return 20 * MB + MIN(minute % 25, 5) * 5 * MB + any() * 0.5 * MB;
}

static double shrinks(int minute)
{
	return 200 * MB - minute * MB;
}

Test(growth, a_ramp_is_found_as_soon_as_there_are_enough_readings)
{
	int first, found = minutes_found(ramp, 60, &first);

	cr_expect_eq(first, GROWTH_READINGS - 1);
	cr_expect_eq(found, 60 - first);
}

Test(growth, a_leak_of_200_objects_a_second_is_found_within_10_minutes)
{
	int first, found = minutes_found(leak_in_noise, 90, &first);

	cr_expect(first > 30 && first <= 40, "%d", first);
	cr_expect_eq(found, 90 - first);
}

Test(growth, noise_spikes_steps_builds_and_what_shrinks_are_not_growth)
{
	static const struct {
		const char *name;
		Course course;
	} others[] = {
		{ "noise", noise }, { "spike", spike },           { "step", step },
		{ "build", build }, { "long build", long_build }, { "shrinks", shrinks },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(others); i++) {
		int first, found = minutes_found(others[i].course, 600, &first);

		cr_expect_eq(found, 0, "%s: %d, first %d", others[i].name, found, first);
	}
}

/* Recorded: 200 files a second are opened and kept, and in the tenth minute another program lets go
   of 26,000 that it had. */
static double leak_beside_others(int minute)
{
	static const int files[GROWTH_READINGS] = { 37795, 42798, 52813, 61173,  70812,
						    94059, 90050, 99519, 108931, 83127 };

	return files[MIN(minute, GROWTH_READINGS - 1)] * 192.0;
}

Test(growth, a_leak_is_found_though_others_let_go_of_more_than_it_took)
{
	int first;

	minutes_found(leak_beside_others, GROWTH_READINGS, &first);
	cr_expect_eq(first, GROWTH_READINGS - 1);
}

static double leak_with_spikes(int minute)
{
	return ramp(minute) + (minute % 10 == 3) * 300 * MB;
}

/* What others use of the cache for a moment hides a leak no more than it makes one. */
Test(growth, a_spike_does_not_move_the_slope)
{
	double seconds[GROWTH_READINGS], bytes[GROWTH_READINGS];
	GrowthLine line;

	for (int i = 0; i < GROWTH_READINGS; i++) {
		seconds[i] = i * MINUTE;
		bytes[i] = leak_with_spikes(i);
	}
	line = growth_line(seconds, bytes, GROWTH_READINGS);
	cr_expect_float_eq(line.bytes_per_second, 0.1 * MB / MINUTE, 1e-6);
	cr_expect_float_eq(line.bytes, 0.9 * MB, 1e-3);
}

Test(growth, the_start_of_growth_is_where_the_figure_was_lowest)
{
	g_autoptr(Growth) growth = growth_new();
	g_autoptr(GArray) found = NULL;
	const GrowthFound *one;

	for (int minute = 0; minute < GROWTH_READINGS; minute++) {
		growth_begin(growth, 100 + minute * MINUTE);
		growth_set(growth, "course", MAX(minute - 2, 0) * MB, NOISE);
		growth_end(growth);
	}
	found = growth_found(growth);
	cr_assert_eq(found->len, 1);
	one = &g_array_index(found, GrowthFound, 0);
	cr_expect_str_eq(one->name, "course");
	cr_expect_float_eq(one->since_s, 100 + 2 * MINUTE, 1e-6);
	cr_expect_float_eq(one->to_bytes, 7 * MB, 1e-6);
}

/* A cache that goes and comes again begins anew; the fastest is the first. */
Test(growth, a_figure_that_was_gone_has_no_past)
{
	g_autoptr(Growth) growth = growth_new();
	int found_at = -1;

	for (int minute = 0; minute < 30; minute++) {
		g_autoptr(GArray) found = NULL;

		growth_begin(growth, minute * MINUTE);
		growth_set(growth, "slow", ramp(minute), NOISE);
		if (minute != 8)
			growth_set(growth, "fast", ramp(3 * minute), NOISE);
		growth_end(growth);
		found = growth_found(growth);
		if (found->len == 2 && found_at < 0) {
			found_at = minute;
			cr_expect_str_eq(g_array_index(found, GrowthFound, 0).name, "fast");
		}
	}
	cr_expect_eq(found_at, 9 + GROWTH_READINGS - 1);
}

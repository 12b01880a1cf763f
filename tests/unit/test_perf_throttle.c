/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_period.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <glib.h>

TEST_SUITE_WITHOUT_LEAKS(perf_throttle);

#define LOOK_NS 250000000ULL /* as often as a CPU is judged */

static const PerfBound all_within_20_percent = { .sampling_period = 1, .percent_max = 20 };

/* A CPU as it is judged, look after look. */
typedef struct {
	PerfThrottle throttle;
	uint64_t now_ns;
	uint64_t probe_ns;
	uint64_t samples_ns;
} Cpu;

/* Its probes take so many percent of the time until the next look, and samples a part of them. */
static bool spend_in_parts(Cpu *cpu, const PerfBound *bound, uint64_t percent,
			   uint64_t samples_percent)
{
	cpu->now_ns += LOOK_NS;
	cpu->probe_ns += LOOK_NS / 100 * percent;
	cpu->samples_ns += LOOK_NS / 100 * samples_percent;
	return perf_throttle_judge(&cpu->throttle, bound, cpu->now_ns, cpu->probe_ns,
				   cpu->samples_ns);
}

static bool spend(Cpu *cpu, const PerfBound *bound, uint64_t percent)
{
	return spend_in_parts(cpu, bound, percent, percent);
}

static uint32_t period(const Cpu *cpu, const PerfBound *bound)
{
	return perf_throttle_period(&cpu->throttle, bound);
}

Test(perf_throttle, what_is_within_the_bound_is_taken_as_asked_for)
{
	Cpu cpu = { .now_ns = 0 };

	for (int i = 0; i < 10; i++)
		cr_expect_not(spend(&cpu, &all_within_20_percent, 20));
	cr_expect_eq(period(&cpu, &all_within_20_percent), 1);
}

Test(perf_throttle, above_the_bound_the_period_grows_until_it_is_kept)
{
	static const uint32_t periods[] = { 2, 4, 8, 16, 32 };
	Cpu cpu = { .now_ns = 0 };

	for (size_t i = 0; i < G_N_ELEMENTS(periods); i++) {
		cr_expect(spend(&cpu, &all_within_20_percent, 21));
		cr_expect_eq(period(&cpu, &all_within_20_percent), periods[i]);
	}
	cr_expect_not(spend(&cpu, &all_within_20_percent, 20));
	cr_expect_not(spend(&cpu, &all_within_20_percent, 5));
	cr_expect_eq(period(&cpu, &all_within_20_percent), 32);
}

Test(perf_throttle, under_a_quarter_of_the_bound_it_comes_back_and_no_further)
{
	static const uint32_t periods[] = { 4, 2, 1 };
	Cpu cpu = { .throttle.doublings = 3 };

	for (size_t i = 0; i < G_N_ELEMENTS(periods); i++) {
		cr_expect(spend(&cpu, &all_within_20_percent, 4));
		cr_expect_eq(period(&cpu, &all_within_20_percent), periods[i]);
	}
	cr_expect_not(spend(&cpu, &all_within_20_percent, 0));
	cr_expect_eq(period(&cpu, &all_within_20_percent), 1);
}

Test(perf_throttle, it_is_judged_no_more_than_four_times_a_second)
{
	Cpu cpu = { .now_ns = 0 };

	cr_expect_not(perf_throttle_judge(&cpu.throttle, &all_within_20_percent, LOOK_NS - 1,
					  LOOK_NS, LOOK_NS));
	cr_expect(perf_throttle_judge(&cpu.throttle, &all_within_20_percent, LOOK_NS, LOOK_NS,
				      LOOK_NS));
	cr_expect_not(perf_throttle_judge(&cpu.throttle, &all_within_20_percent, 2 * LOOK_NS - 1,
					  2 * LOOK_NS, 2 * LOOK_NS));
}

/* A look that came late is of a longer time: its share counts, not its sum. */
Test(perf_throttle, a_late_look_is_no_load)
{
	Cpu cpu = { .now_ns = 0 };

	cr_expect_not(perf_throttle_judge(&cpu.throttle, &all_within_20_percent, 10 * LOOK_NS,
					  LOOK_NS, LOOK_NS));
}

/* Events that are not taken cost something, whatever the period. */
Test(perf_throttle, the_period_grows_only_while_samples_cost_something)
{
	Cpu cpu = { .now_ns = 0 };

	cr_expect(spend_in_parts(&cpu, &all_within_20_percent, 25, 10));
	cr_expect(spend_in_parts(&cpu, &all_within_20_percent, 21, 2));
	cr_expect_not(spend_in_parts(&cpu, &all_within_20_percent, 21, 1));
	cr_expect_not(spend_in_parts(&cpu, &all_within_20_percent, 90, 0));
	cr_expect_eq(period(&cpu, &all_within_20_percent), 4);
}

Test(perf_throttle, without_a_bound_everything_is_taken)
{
	const PerfBound any = { .sampling_period = 1, .percent_max = 0 };
	Cpu cpu = { .now_ns = 0 };

	cr_expect_not(spend(&cpu, &any, 100));
	cr_expect_eq(period(&cpu, &any), 1);
}

Test(perf_throttle, the_period_that_was_asked_for_is_the_least)
{
	const PerfBound sampled = { .sampling_period = 100, .percent_max = 20 };
	Cpu cpu = { .now_ns = 0 };

	cr_expect_eq(period(&cpu, &sampled), 100);
	cr_expect(spend(&cpu, &sampled, 50));
	cr_expect_eq(period(&cpu, &sampled), 200);
	cr_expect(spend(&cpu, &sampled, 0));
	cr_expect_not(spend(&cpu, &sampled, 0));
	cr_expect_eq(period(&cpu, &sampled), 100);
}

/* Whatever it costs, one of about a million is still seen. */
Test(perf_throttle, the_period_has_an_end)
{
	Cpu cpu = { .now_ns = 0 };

	for (int i = 0; i < 100; i++)
		spend(&cpu, &all_within_20_percent, 100);
	cr_expect_eq(period(&cpu, &all_within_20_percent), 1 << 20);
}

/* The run ends: none of its events may be left out. */
Test(perf_throttle, what_is_over_the_bound_for_a_second_is_over)
{
	const PerfBound bound = { .sampling_period = 1, .percent_max = 10 };
	PerfThrottle throttle = { 0 };
	uint64_t now_ns = 0, probe_ns = 0;

	/* A burst, then a pause, is not. */
	for (int i = 0; i < 3; i++)
		cr_expect_not(perf_throttle_is_over(&throttle, &bound, now_ns += 250000000,
						    probe_ns += 25000001));
	cr_expect_not(perf_throttle_is_over(&throttle, &bound, now_ns += 250000000,
					    probe_ns += 25000000));
	for (int i = 0; i < 3; i++)
		cr_expect_not(perf_throttle_is_over(&throttle, &bound, now_ns += 250000000,
						    probe_ns += 250000000));
	/* It is judged no more than four times a second. */
	cr_expect_not(
		perf_throttle_is_over(&throttle, &bound, now_ns += 1000, probe_ns += 250000000));
	cr_expect(perf_throttle_is_over(&throttle, &bound, now_ns += 250000000,
					probe_ns += 250000000));
	cr_expect_eq(throttle.doublings, 0);
}

Test(perf_throttle, without_a_bound_nothing_is_over)
{
	const PerfBound bound = { .sampling_period = 1 };
	PerfThrottle throttle = { 0 };

	for (uint64_t i = 1; i < 10; i++)
		cr_expect_not(
			perf_throttle_is_over(&throttle, &bound, i * 250000000, i * 250000000));
}

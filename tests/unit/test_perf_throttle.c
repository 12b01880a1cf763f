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

/* The run ends: no period changes this cost. */
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

/* A CPU whose events are paired, as it is judged, look after look. */
typedef struct {
	PerfMean mean;
	PerfSpent spent;
	uint64_t now_ns;
} PairedCpu;

/* Spends so many percent of each look, and a part of them on what is followed. Returns the number
   of the first look, from 1, with another verdict than "fits"; 0: none of the looks. */
static unsigned spend_paired(PairedCpu *cpu, uint64_t percent, uint64_t taken_percent,
			     unsigned looks, PerfVerdict *verdict)
{
	*verdict = PERF_COST_FITS;
	for (unsigned i = 1; i <= looks; i++) {
		cpu->now_ns += LOOK_NS;
		cpu->spent.all_ns += LOOK_NS / 100 * percent;
		cpu->spent.taken_ns += LOOK_NS / 100 * taken_percent;
		*verdict = perf_mean_judge(&cpu->mean, &all_within_20_percent, cpu->now_ns,
					   &cpu->spent);
		if (*verdict != PERF_COST_FITS)
			return i;
	}
	return 0;
}

enum {
	MEAN_LOOKS = PERF_MEAN_NS / LOOK_NS,
	SUDDEN_LOOKS = PERF_SUDDEN_NS / LOOK_NS,
};

Test(perf_throttle, bursts_of_paired_events_are_judged_by_their_mean)
{
	PairedCpu cpu = { .now_ns = 0 };
	PerfVerdict verdict;

	/* As beside builds: 3 s far above the bound, then 2 s below it. */
	for (int i = 0; i < 20; i++) {
		cr_expect_eq(spend_paired(&cpu, 30, 20, MEAN_LOOKS * 3 / 5, &verdict), 0);
		cr_expect_eq(spend_paired(&cpu, 4, 3, MEAN_LOOKS * 2 / 5, &verdict), 0);
	}
}

Test(perf_throttle, a_mean_above_the_bound_first_thins_then_ends)
{
	PairedCpu cpu = { .now_ns = 0 };
	PerfVerdict verdict;

	cr_expect_eq(spend_paired(&cpu, 24, 20, 100, &verdict), MEAN_LOOKS);
	cr_expect_eq(verdict, PERF_COST_THIN);
	/* The seconds begin anew, so what was before is judged once. */
	cr_expect_eq(spend_paired(&cpu, 14, 10, 100, &verdict), 0);
	/* The rest alone is too much. */
	cr_expect_eq(spend_paired(&cpu, 31, 10, 100, &verdict), MEAN_LOOKS);
	cr_expect_eq(verdict, PERF_COST_END);
}

Test(perf_throttle, what_thinning_hardly_lessens_ends_the_run)
{
	PairedCpu cpu = { .now_ns = 0 };
	PerfVerdict verdict;

	cr_expect_eq(spend_paired(&cpu, 21, 2, 100, &verdict), MEAN_LOOKS);
	cr_expect_eq(verdict, PERF_COST_THIN);
	cr_expect_eq(spend_paired(&cpu, 21, 1, 100, &verdict), MEAN_LOOKS);
	cr_expect_eq(verdict, PERF_COST_END);
}

Test(perf_throttle, what_is_far_above_the_bound_is_judged_after_a_second)
{
	PairedCpu cpu = { .now_ns = 0 };
	PerfVerdict verdict;

	cr_expect_eq(spend_paired(&cpu, 61, 50, 100, &verdict), SUDDEN_LOOKS);
	cr_expect_eq(verdict, PERF_COST_THIN);
	cr_expect_eq(spend_paired(&cpu, 80, 10, 100, &verdict), SUDDEN_LOOKS);
	cr_expect_eq(verdict, PERF_COST_END);
	/* Three times the bound is not above it. */
	cr_expect_eq(spend_paired(&cpu, 60, 50, 100, &verdict), MEAN_LOOKS);
}

Test(perf_throttle, a_high_bound_of_paired_events_is_not_exceeded_earlier)
{
	const PerfBound bound = { .sampling_period = 1, .percent_max = 95 };
	PerfSpent spent = { 0 };
	PerfMean mean = { 0 };

	spent.all_ns = PERF_SUDDEN_NS / 100 * 94;
	cr_expect_eq(perf_mean_judge(&mean, &bound, PERF_SUDDEN_NS, &spent), PERF_COST_FITS);
	spent.all_ns += PERF_SUDDEN_NS / 100 * 96;
	cr_expect_eq(perf_mean_judge(&mean, &bound, 2 * PERF_SUDDEN_NS, &spent), PERF_COST_END);
}

/* A look that came late is of a longer time. */
Test(perf_throttle, a_late_look_is_no_load_of_paired_events)
{
	PairedCpu cpu = { .now_ns = 3 * PERF_MEAN_NS, .spent = { PERF_MEAN_NS / 2, 0 } };

	cr_expect_eq(perf_mean_judge(&cpu.mean, &all_within_20_percent, cpu.now_ns, &cpu.spent),
		     PERF_COST_FITS);
}

Test(perf_throttle, without_a_bound_paired_events_may_cost_all)
{
	const PerfBound any = { .sampling_period = 1 };
	const PerfSpent spent = { UINT64_MAX / 2, 0 };
	PerfMean mean = { 0 };

	cr_expect_eq(perf_mean_judge(&mean, &any, 2 * PERF_MEAN_NS, &spent), PERF_COST_FITS);
}

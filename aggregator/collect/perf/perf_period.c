/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What decides about a CPU's events: the throttle, which doubles or halves the nominal period by
 * what it costs; the mean cost of paired events, which no period may leave out; and the draw of a
 * random period around a nominal one, by tables of primes. No state but the caller's.
 * doc/SAMPLING.md has the reasons.
 */
#include "collect/perf/perf_period.h"

#include <glib.h>
#include <stdbool.h>

enum {
	PERIOD_MAX = 1 << 20, /* at least one of this many events is taken */
	TIMES_OVER_MAX = 4,   /* judgements in succession: about a second */
	EASE = 4,             /* a CPU below this part of its bound takes more events again */
	HELPS = 16,           /* fewer samples help if they cost at least this part of it */
};

uint32_t perf_throttle_period(const PerfThrottle *throttle, const PerfBound *bound)
{
	return bound->sampling_period << throttle->doublings;
}

static bool can_double(const PerfThrottle *throttle, const PerfBound *bound)
{
	return (uint64_t)bound->sampling_period << throttle->doublings <= PERIOD_MAX / 2;
}

/* The time used since the last judgement, and what the bound permits. */
typedef struct {
	uint64_t spent_ns;
	uint64_t bound_ns;
} Spending;

/* Returns false if no judgement is due. */
static bool is_due(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
		   uint64_t probe_ns, Spending *spending)
{
	uint64_t span_ns = now_ns - throttle->judged_ns;

	if (!bound->percent_max || span_ns < PERF_JUDGE_NS)
		return false;
	spending->spent_ns = probe_ns - throttle->judged_probe_ns;
	spending->bound_ns = span_ns / 100 * bound->percent_max;
	throttle->judged_ns = now_ns;
	throttle->judged_probe_ns = probe_ns;
	return true;
}

bool perf_throttle_is_over(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			   uint64_t probe_ns)
{
	Spending spending;

	if (!is_due(throttle, bound, now_ns, probe_ns, &spending))
		return false;
	throttle->times_over = spending.spent_ns > spending.bound_ns ? throttle->times_over + 1 : 0;
	return throttle->times_over >= TIMES_OVER_MAX;
}

bool perf_throttle_judge(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			 uint64_t probe_ns, uint64_t samples_ns)
{
	unsigned before = throttle->doublings;
	uint64_t of_samples_ns = samples_ns - throttle->judged_samples_ns, rest_ns;
	Spending spending;

	if (!is_due(throttle, bound, now_ns, probe_ns, &spending))
		return false;
	throttle->judged_samples_ns = samples_ns;
	/* No period reduces this. */
	rest_ns = spending.spent_ns - MIN(of_samples_ns, spending.spent_ns);
	if (spending.spent_ns > spending.bound_ns && can_double(throttle, bound) &&
	    of_samples_ns > spending.bound_ns / HELPS)
		throttle->doublings++;
	else if (of_samples_ns < (spending.bound_ns - MIN(rest_ns, spending.bound_ns)) / EASE &&
		 throttle->doublings)
		throttle->doublings--;
	return throttle->doublings != before;
}

void perf_mean_begin(PerfMean *mean, uint64_t now_ns, const PerfSpent *spent)
{
	*mean = (PerfMean){ now_ns, *spent, now_ns, *spent };
}

/* Compares what was spent in a time with a share of it. Fewer addresses help if they cost
   something, and if the rest fits. */
static PerfVerdict verdict_of(uint64_t took_ns, const PerfSpent *from, const PerfSpent *to,
			      uint32_t percent)
{
	uint64_t bound_ns = took_ns / 100 * percent, all_ns = to->all_ns - from->all_ns;
	uint64_t taken_ns = MIN(to->taken_ns - from->taken_ns, all_ns);

	if (all_ns <= bound_ns)
		return PERF_COST_FITS;
	return all_ns - taken_ns <= bound_ns && taken_ns > bound_ns / HELPS ? PERF_COST_THIN
									    : PERF_COST_END;
}

PerfVerdict perf_mean_judge(PerfMean *mean, const PerfBound *bound, uint64_t now_ns,
			    const PerfSpent *spent)
{
	uint32_t sudden = MIN(bound->percent_max * PERF_SUDDEN_TIMES, PERF_SUDDEN_PERCENT);
	uint64_t took_ns = now_ns - mean->from_ns, sudden_ns = now_ns - mean->sudden_from_ns;
	PerfVerdict verdict = PERF_COST_FITS;

	if (!bound->percent_max)
		return PERF_COST_FITS;
	if (sudden_ns >= PERF_SUDDEN_NS) {
		verdict = verdict_of(sudden_ns, &mean->sudden_from, spent,
				     MAX(sudden, bound->percent_max));
		mean->sudden_from_ns = now_ns;
		mean->sudden_from = *spent;
	}
	if (verdict == PERF_COST_FITS && took_ns < PERF_MEAN_NS)
		return PERF_COST_FITS;
	if (verdict == PERF_COST_FITS)
		verdict = verdict_of(took_ns, &mean->from, spent, bound->percent_max);
	perf_mean_begin(mean, now_ns, spent);
	return verdict;
}

uint32_t perf_period_random(uint64_t *state)
{
	/* As stap/sampling.h: Knuth's MMIX, its upper half. */
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(*state >> 32);
}

static uint32_t random_below(uint64_t *state, uint32_t bound)
{
	return (uint32_t)((uint64_t)perf_period_random(state) * bound >> 32);
}

/* From MIXED_MIN to MIXED_MAX the least periods are mixed with 1. They are prime numbers, because a
   loop of a multiple of the period is seen at some of its places only; and none is below 11,
   because such loops are short: a pipe that is made and closed has seven allocations. */
enum { MIXED_MIN = 6, MIXED_MAX = 11 };
static const uint32_t least_periods[] = { 11, 13 };
enum { LEAST_COUNT = sizeof(least_periods) / sizeof(least_periods[0]) };

/* Returns 1 so often that one of nominal is taken on average: f + (1 - f) * m = 1 / nominal, where
   m is the mean rate of the least periods. */
static uint32_t draw_mixed(uint64_t *state, uint32_t nominal)
{
	const uint64_t whole = 1ULL << 32;
	uint64_t mean = 0;

	for (unsigned i = 0; i < LEAST_COUNT; i++)
		mean += whole / least_periods[i] / LEAST_COUNT;
	if (perf_period_random(state) < (whole / nominal - mean) * whole / (whole - mean))
		return 1;
	return least_periods[random_below(state, LEAST_COUNT)];
}

/* Periods around a small one, so that one of nominal events is taken on average. Up to 5 the
   variance of the least periods would be too large. */
static const struct {
	uint8_t count;
	uint8_t periods[15];
} small_periods[] = {
	[2] = { 8, { 1, 1, 1, 5, 5, 5, 5, 5 } },
	[3] = { 9, { 1, 1, 5, 5, 5, 5, 11, 11, 11 } },
	[4] = { 10, { 1, 5, 5, 5, 5, 5, 5, 11, 11, 11 } },
	[5] = { 15, { 1, 5, 5, 5, 5, 5, 5, 5, 11, 11, 11, 11, 11, 11, 11 } },
	[12] = { 2, { 11, 13 } },
	[13] = { 4, { 11, 11, 13, 19 } },
	[14] = { 5, { 11, 13, 13, 17, 19 } },
	[15] = { 5, { 11, 13, 17, 17, 19 } },
	[16] = { 5, { 11, 13, 17, 19, 23 } },
	[17] = { 5, { 13, 13, 17, 23, 29 } },
	[18] = { 5, { 13, 17, 17, 19, 29 } },
	[19] = { 5, { 13, 17, 19, 23, 29 } },
	[20] = { 6, { 13, 17, 19, 23, 29, 31 } },
};
enum { SMALL_MAX = sizeof(small_periods) / sizeof(small_periods[0]) - 1 };

static bool has_small_divisor(uint32_t number)
{
	return !(number % 2 && number % 3 && number % 5 && number % 7 && number % 11);
}

/* From 0.6 to 1.55 times the nominal period, which is their harmonic mean. */
static uint32_t draw_around(uint64_t *state, uint32_t nominal)
{
	uint32_t least = (uint32_t)((uint64_t)nominal * 12 / 20);
	uint32_t most = (uint32_t)((uint64_t)nominal * 31 / 20);
	uint32_t period;

	do
		period = least + random_below(state, most - least + 1);
	while (has_small_divisor(period));
	return period;
}

uint32_t perf_period_draw(uint64_t *state, uint32_t nominal)
{
	if (nominal <= 1)
		return 1;
	if (nominal >= MIXED_MIN && nominal <= MIXED_MAX)
		return draw_mixed(state, nominal);
	if (nominal > SMALL_MAX)
		return draw_around(state, nominal);
	return small_periods[nominal].periods[random_below(state, small_periods[nominal].count)];
}

uint32_t perf_period_phase(uint64_t *state, uint32_t period)
{
	return 2 + random_below(state, period);
}

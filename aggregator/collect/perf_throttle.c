/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf_throttle.h"

enum {
	PERIOD_MAX = 1 << 20, /* events of which at least one is taken */
	EASE = 4,             /* a CPU under this part of its bound takes more events again */
};
#define JUDGE_NS 250000000ULL

/* Returns the odd prime from there on. The kernel takes each Nth event of a tracepoint on a CPU: so
   call paths that take turns do not keep time with that, above all not two, as is most frequent. */
static uint32_t odd_prime_from(uint32_t number)
{
	uint32_t prime = number | 1;

	for (uint32_t divisor = 3; (uint64_t)divisor * divisor <= prime; divisor += 2) {
		if (prime % divisor)
			continue;
		prime += 2;
		divisor = 1;
	}
	return prime;
}

uint32_t perf_throttle_period(const PerfThrottle *throttle, const PerfBound *bound)
{
	uint64_t period = (uint64_t)bound->sampling_period << throttle->doublings;

	return period > 1 ? odd_prime_from((uint32_t)period) : 1;
}

static bool can_double(const PerfThrottle *throttle, const PerfBound *bound)
{
	return (uint64_t)bound->sampling_period << throttle->doublings <= PERIOD_MAX / 2;
}

bool perf_throttle_judge(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			 uint64_t probe_ns)
{
	uint64_t span_ns = now_ns - throttle->judged_ns;
	uint64_t spent_ns = probe_ns - throttle->judged_probe_ns;
	uint64_t bound_ns = span_ns / 100 * bound->percent_max;
	unsigned before = throttle->doublings;

	if (!bound->percent_max || span_ns < JUDGE_NS)
		return false;
	throttle->judged_ns = now_ns;
	throttle->judged_probe_ns = probe_ns;
	if (spent_ns > bound_ns && can_double(throttle, bound))
		throttle->doublings++;
	else if (spent_ns < bound_ns / EASE && throttle->doublings)
		throttle->doublings--;
	return throttle->doublings != before;
}

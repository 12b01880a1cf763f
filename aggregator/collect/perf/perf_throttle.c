/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_throttle.h"

enum {
	PERIOD_MAX = 1 << 20, /* events of which at least one is taken */
	EASE = 4,             /* a CPU under this part of its bound takes more events again */
};
#define JUDGE_NS 250000000ULL

uint32_t perf_throttle_period(const PerfThrottle *throttle, const PerfBound *bound)
{
	return bound->sampling_period << throttle->doublings;
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

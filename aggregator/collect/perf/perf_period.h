/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The kernel has a fixed period for each perf event: on each CPU, it takes every Nth event. If the
 * length of a loop and N have a common divisor, only some places of the loop are sampled until the
 * period changes. The phase of each series of samples is random (perf_weight.h), so estimates are
 * right on average; but the fewer the common divisors, the less they vary. So the periods are drawn
 * at random, change some times a second, and have no divisor up to 12, or are prime.
 */

/* Returns a pseudo-random number below 2^32. The caller owns state; any initial value. */
uint32_t perf_period_random(uint64_t *state);

/* Returns a random period such that, over many equally long times, one of nominal events is taken
   on average. Returns 1 for 1. The variance is at most 2.75 times that of nominal up to 11, where
   1 is mixed with larger periods, and at most 1.25 times that of larger ones. */
uint32_t perf_period_draw(uint64_t *state, uint32_t nominal);

/* Returns a random phase of a series with that period: from 2 to period + 1, each equally likely.
   See perf_weight.h. */
uint32_t perf_period_phase(uint64_t *state, uint32_t period);

/*
 * The nominal period. A CPU takes one of this many events, and fewer while the taken events need
 * too much of its time. The emitter in the kernel bounds itself in the same way.
 */

/* A CPU is judged no more often. */
#define PERF_JUDGE_NS 250000000ULL

/* The settings for all CPUs. */
typedef struct {
	uint32_t sampling_period; /* take one of this many events, if the bound allows; 1: all */
	uint32_t percent_max;     /* bound on a CPU's time; 0: none */
} PerfBound;

/* State of one CPU. Initially zero, except judged_ns: when its events were enabled. */
typedef struct {
	unsigned doublings; /* of the period */
	uint64_t judged_ns;
	uint64_t judged_probe_ns;
	uint64_t judged_samples_ns;
	unsigned times_over; /* in succession */
} PerfThrottle;

/* Returns the nominal period, at least the requested one. The kernel gets periods around it. */
uint32_t perf_throttle_period(const PerfThrottle *throttle, const PerfBound *bound);

/*
 * The same check for a run whose period must not change. Returns whether the events have used more
 * than the bound for about a second: then the run must end. In that time, the other runs reduce
 * their events to a sixteenth.
 */
bool perf_throttle_is_over(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			   uint64_t probe_ns);

/* Checks the share of a CPU's time that its events used; samples_ns: its part that depends on the
   period. Returns whether the period changes. */
bool perf_throttle_judge(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			 uint64_t probe_ns, uint64_t samples_ns);

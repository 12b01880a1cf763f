/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The kernel has a fixed period for each perf event: on each CPU, it takes every Nth event. If the
 * length of a loop and N have a common divisor, only some places of the loop are sampled. So the
 * periods are drawn at random, change many times a second, and have no divisor up to 12. A loop of
 * up to 12 allocations is then sampled at all of its places within a few samples of any period. The
 * sampling of a longer loop is right on average.
 */

/* Returns a pseudo-random number below 2^32. The caller owns state; any initial value. */
uint32_t perf_period_random(uint64_t *state);

/*
 * Returns a random period such that, over many equally long times, one of nominal events is taken
 * on average. Returns 1 for 1. The smallest period above 1 is 13, so a small nominal period mixes
 * times in which every event is taken with others.
 */
uint32_t perf_period_draw(uint64_t *state, uint32_t nominal);

/*
 * Returns a random period for the distance between a change and the first counted sample after it:
 * for this distance the kernel uses the period from before (see perf_weight.h). A loop of up to 12
 * allocations can then be at any of its places, independent of where the period changed. Never 1.
 */
uint32_t perf_period_aim(uint64_t *state);

/*
 * The nominal period. A CPU takes one of this many events, and fewer while the taken events need
 * too much of its time. The emitter in the kernel bounds itself in the same way.
 */

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

/* Checks the share of a CPU's time that its events used. Returns whether its period changes. */
bool perf_throttle_judge(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			 uint64_t probe_ns);

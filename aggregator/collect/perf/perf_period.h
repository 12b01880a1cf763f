/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * The period of a perf event is fixed in the kernel: of each N events of a CPU the Nth is taken. A
 * loop whose turn has a divisor in common with N is then seen at some of its places only. So the
 * periods are drawn at random and change many times a second, and none has a divisor up to 12: a
 * loop of up to 12 allocations is seen at all of its places within a few samples of any period,
 * and the sampling of a longer one is right in the mean.
 */

/* Returns a number below 2^32 that is as good as random; state is the caller's, any at first. */
uint32_t perf_period_random(uint64_t *state);

/*
 * Returns a period at random such that, over many equally long times, one of nominal events is
 * taken in the mean. 1 for 1. As the smallest period but 1 is 13, a small nominal period is made of
 * times in which every event is taken, and of others.
 */
uint32_t perf_period_draw(uint64_t *state, uint32_t nominal);

/*
 * Returns a period at random for the distance between a change and the first sample that is counted
 * after it: the kernel has that of the period before (see perf_weight.h). A loop of up to 12
 * allocations is at any of its places there, wherever it was when the period changed. Never 1.
 */
uint32_t perf_period_aim(uint64_t *state);

/*
 * The nominal period: one of so many events of a CPU is taken, and fewer while those that are taken
 * need too much of that CPU's time. The emitter in the kernel bounds itself in the same way.
 */

/* The same for all CPUs. */
typedef struct {
	uint32_t
		sampling_period; /* take one of so many events where that is not too much; 1: all */
	uint32_t percent_max;    /* of a CPU's time; 0: any */
} PerfBound;

/* One CPU's state; zeros, but for judged_ns: when its events were enabled. */
typedef struct {
	unsigned doublings; /* of the period */
	uint64_t judged_ns;
	uint64_t judged_probe_ns;
} PerfThrottle;

/* Returns the nominal period: not less than was asked for. What the kernel is given is drawn around
   it. */
uint32_t perf_throttle_period(const PerfThrottle *throttle, const PerfBound *bound);

/* Looks at what the events of a CPU have taken of its time so far. Returns whether its period
   changes. */
bool perf_throttle_judge(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			 uint64_t probe_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Which events of a CPU are taken: one of so many, and fewer while those that are taken need too
 * much of that CPU's time, as the emitter in the kernel does it for itself.
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
   it (perf_period.h). */
uint32_t perf_throttle_period(const PerfThrottle *throttle, const PerfBound *bound);

/* Looks at what the events of a CPU have taken of its time so far. Returns whether its period is
   another one from now on. */
bool perf_throttle_judge(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			 uint64_t probe_ns);

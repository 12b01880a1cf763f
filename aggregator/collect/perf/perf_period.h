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

/* Returns whether something that no period changes has used more than the bound for about a second:
   then the run must end. In that time, the other runs reduce their events to a sixteenth. */
bool perf_throttle_is_over(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			   uint64_t probe_ns);

/* Checks the share of a CPU's time that its events used; samples_ns: its part that depends on the
   period. Returns whether the period changes. */
bool perf_throttle_judge(PerfThrottle *throttle, const PerfBound *bound, uint64_t now_ns,
			 uint64_t probe_ns, uint64_t samples_ns);

/*
 * The check of a run of which no event may be left out by a period, as events are paired. What it
 * loses it never gets back, so a burst is no reason: the mean of some seconds counts. Only what is
 * far above the bound is judged earlier (doc/PERFORMANCE.md has the load that this was chosen for).
 */
#define PERF_MEAN_NS 5000000000ULL
#define PERF_SUDDEN_NS 1000000000ULL
enum {
	PERF_SUDDEN_TIMES = 3,    /* the bound ... */
	PERF_SUDDEN_PERCENT = 90, /* ... or this */
};

/* What a CPU's events have cost so far. */
typedef struct {
	uint64_t all_ns;
	uint64_t taken_ns; /* a part: half as much if half of the addresses are followed */
} PerfSpent;

/* State of one CPU. Begin it when its events are enabled. */
typedef struct {
	uint64_t from_ns; /* of the seconds that are being added up ... */
	PerfSpent from;   /* ... and what had been spent then */
	uint64_t sudden_from_ns;
	PerfSpent sudden_from;
} PerfMean;

typedef enum {
	PERF_COST_FITS,
	PERF_COST_THIN, /* too much; following half as many addresses helps */
	PERF_COST_END,  /* too much, and that does not help */
} PerfVerdict;

/* Begins with what had been spent then. */
void perf_mean_begin(PerfMean *mean, uint64_t now_ns, const PerfSpent *spent);

/* Judges what was spent since the last verdict; after each one, the seconds begin anew. */
PerfVerdict perf_mean_judge(PerfMean *mean, const PerfBound *bound, uint64_t now_ns,
			    const PerfSpent *spent);

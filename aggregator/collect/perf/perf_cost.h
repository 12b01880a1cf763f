/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_events.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What perf events cost those whom they observe. The kernel does not measure it, so the program
 * does at the start, on this host, with its own allocations: an estimate for each sample by the
 * depth of its stack. It is the median of rounds, not the fastest one: caches and interrupts are
 * no kinder to others.
 */
typedef struct {
	bool is_known;
	uint64_t event_ns;  /* a sample without its stack; 0 while not known */
	uint64_t frame_ns;  /* what each frame adds; likewise */
	uint64_t helper_ns; /* a sample of a helper (see PerfRequest); 0: not known, or none */
} PerfCost;

/* The same allocations four times: nanoseconds of CPU time, and what was sampled meanwhile. */
typedef struct {
	uint64_t plain_ns;  /* nothing was sampled */
	uint64_t bare_ns;   /* samples without stacks */
	uint64_t full_ns;   /* with their stacks */
	uint64_t helped_ns; /* without, but with the helpers */
	uint64_t samples;   /* while bare */
	uint64_t frames;    /* while full */
	uint64_t helpers;   /* samples of helpers; 0: there are none */
} PerfCostRound;

enum { PERF_COST_ROUNDS = 24 };

/* Returns what at most PERF_COST_ROUNDS rounds say; too few, or a cost that cannot be, say that it
   is not known. */
PerfCost perf_cost_of_rounds(const PerfCostRound *rounds, unsigned count);

/* Makes a pipe, writes into it and closes it: allocates by kmalloc, from caches and a page, and
   frees them, so that whatever is observed is hit. Returns false where that fails. */
bool perf_cost_make_pipe(void);

/* Measures events as the request has them, which takes a few milliseconds: after the run's own were
   opened, so that the kernel has no tracepoint to switch, and before they are enabled. Returns what
   is not known when it cannot be measured. */
PerfCost perf_cost_measure(const PerfRequest *request);

static inline uint64_t perf_cost_of(const PerfCost *cost, uint32_t depth)
{
	return cost->event_ns + cost->frame_ns * depth;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf_events.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What perf events cost those whom they observe. The kernel does not tell, so it is measured at the
 * start, on this host, with this program's own allocations: an estimate for each sample by the
 * depth of its stack.
 */
typedef struct {
	bool is_known;
	uint64_t event_ns; /* a sample without its stack; 0 while not known */
	uint64_t frame_ns; /* what each frame adds; likewise */
} PerfCost;

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

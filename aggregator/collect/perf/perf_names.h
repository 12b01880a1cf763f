/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_sample.h"
#include "collect/perf/perf_state.h"
#include "record/event_writer.h"

/*
 * The slab caches of a run whose tracepoints do not record them: from the pages of the objects
 * (SlabPages) if possible, else from probes at the allocator's entries (CacheProbes, CacheSites).
 */

/* Prepares what the plan has. */
void perf_names_init(PerfRun *run);
void perf_names_clear(PerfRun *run);

/* Returns the cache of an allocation; NULL: unknown. It is valid until the next call. */
const EventCache *perf_names_find(PerfRun *run, const PerfSample *sample, const EventFacts *facts);

/* Call it before samples are read, after the heads of their rings were noted; and once before any
   sample is taken. Reads the ends of slabs, and checks whether the kernel dropped some. */
void perf_names_begin_round(PerfRun *run);

/* Ends of slabs may have been lost up to now: caches of events up to now stay unknown.
   why: for the log of a verbose run. */
void perf_names_forget(PerfRun *run, const char *why);

/* All events up to that time have been read. */
void perf_names_settle(PerfRun *run, uint64_t until_ns);

/* Writes how many names were compared and how many differ, if they are more than before. */
void perf_names_write_compared(PerfRun *run);

/* Writes why some caches stayed unknown, and prints the comparison of both ways. */
void perf_names_end(PerfRun *run);

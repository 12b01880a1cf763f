/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_cpus.h"
#include "collect/perf/perf_run.h"
#include "collect/perf/perf_sample.h"
#include "collect/slabs/slab_pages.h"

/*
 * The slab caches of a run whose tracepoints do not record them: from the pages of the objects
 * (SlabPages) if possible, else from probes at the allocator's entries (CacheProbes, CacheSites).
 */

/* With --cache-names=compare. */
typedef struct {
	uint64_t calls;     /* whose cache a probe recorded */
	uint64_t different; /* ... whose page has another one */
	uint64_t unknown;   /* ... whose page has none */
	uint64_t written;   /* calls, as written to the stream */
} NamesCompared;

/* The part of a run that perf_names.c owns. */
typedef struct {
	LiveRun *live; /* borrowed, as the next four */
	const PerfRunPlan *plan;
	const GPtrArray *cpus; /* (element-type PerfRunCpu) */
	const PerfCost *cost;
	const int64_t *clock_offset_ns; /* added to the times of records */
	CacheSites *sites;              /* owned; NULL: no probes for the caches */
	SlabPages *pages;               /* owned; NULL: caches are not found by page */
	PerfRunCpu *reading;            /* the CPU whose ends of slabs are being read */
	SlabHits slab_hits;             /* of the probe where slabs end */
	NamesCompared compared;
} PerfNames;

/* Prepares what the plan has. The members that are borrowed are set before. */
void perf_names_init(PerfNames *names);
void perf_names_clear(PerfNames *names);

/* Takes a sample that shows the cache of an allocation. Returns false if it is of another kind. */
bool perf_names_take_call(PerfNames *names, PerfRunCpu *cpu, const PerfSample *sample);

/* Returns the cache of an allocation on that CPU; NULL: unknown. It is valid until the next call.
   has_all: no call of the probes was left out by a period. */
const EventCache *perf_names_find(PerfNames *names, PerfRunCpu *cpu, const PerfSample *sample,
				  const EventFacts *facts, bool has_all);

/* Call it before samples are read, after the heads of their rings were noted; and once before any
   sample is taken. Reads the ends of slabs, and checks whether the kernel dropped some. */
void perf_names_begin_round(PerfNames *names);

/* Ends of slabs may have been lost up to now: caches of events up to now stay unknown.
   why: for the log of a verbose run. */
void perf_names_forget(PerfNames *names, const char *why);

/* All events up to that time have been read. */
void perf_names_settle(PerfNames *names, uint64_t until_ns);

/* Writes how many names were compared and how many differ, if they are more than before. */
void perf_names_write_compared(PerfNames *names);

/* Writes why some caches stayed unknown, and prints the comparison of both ways. */
void perf_names_end(PerfNames *names);

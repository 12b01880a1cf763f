/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_events.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The cost of perf events for the observed tasks. The kernel does not measure it, so the program
 * measures it at the start, on this host, with its own allocations. The result is an estimate per
 * sample that depends on the depth of its stack. It uses the median of the rounds, not the fastest:
 * other tasks suffer from caches and interrupts, too.
 */
typedef struct {
	uint64_t event_ns; /* without its stack; 0: unknown */
	uint64_t frame_ns; /* for each frame; 0: unknown */
} PerfSampleCost;

typedef struct {
	bool is_known;
	PerfSampleCost every; /* of a sample, if every event is taken */
	/* ... and if some are left out: the kernel's walk is then not in the CPU's caches, and its
	   branches are not predicted (doc/PERFORMANCE.md) */
	PerfSampleCost sparse;
	uint64_t helper_ns;  /* a sample of a helper (see PerfRequest); 0: unknown or no helpers */
	uint64_t untaken_ns; /* in event_ns, and alone if the period leaves the event out */
	/* An event that the filter rejects, by PerfPoint.has_cache_name; 0: unknown or no filter */
	uint64_t rejected_ns[2];
} PerfCost;

/* Samples of the same allocations: nanoseconds of CPU time, and their numbers. */
typedef struct {
	uint64_t bare_ns; /* samples without stacks */
	uint64_t full_ns; /* with their stacks */
	uint64_t samples; /* during bare_ns */
	uint64_t frames;  /* during full_ns */
} PerfCostSamples;

/* The same allocations, measured several times: nanoseconds of CPU time. */
typedef struct {
	uint64_t plain_ns; /* nothing was sampled */
	PerfCostSamples every;
	PerfCostSamples sparse;
	uint64_t helped_ns; /* as every.bare_ns, with the helpers */
	uint64_t parked_ns; /* events that are counted, but not taken */
	/* Events that a filter rejects, and how many; by PerfPoint.has_cache_name */
	uint64_t filtered_ns[2];
	uint64_t rejected[2];
	uint64_t helpers; /* samples of helpers; 0: none */
} PerfCostRound;

enum { PERF_COST_ROUNDS = 24 };

/* Returns the cost from at most PERF_COST_ROUNDS rounds. With too few rounds or an implausible
   result, the cost is unknown. */
PerfCost perf_cost_of_rounds(const PerfCostRound *rounds, unsigned count);

/* Creates a pipe, writes to it and closes it. This allocates by kmalloc, from caches and a page,
   and frees them, so it hits every observed tracepoint. Returns false on failure. */
bool perf_cost_make_pipe(void);

/* Measures events with the settings of the request; takes a few milliseconds. Call it after the
   run's events are opened, so that the kernel need not switch any tracepoint, and before they are
   enabled. Returns an unknown cost on failure. */
PerfCost perf_cost_measure(const PerfRequest *request);

static inline uint64_t perf_cost_of(const PerfSampleCost *cost, uint32_t depth)
{
	return cost->event_ns + cost->frame_ns * depth;
}

/* Returns what an event costs more if it is taken than if it is left out; is_sparse: others are. */
static inline uint64_t perf_cost_of_sample(const PerfCost *cost, uint32_t depth, bool is_sparse)
{
	return perf_cost_of(is_sparse ? &cost->sparse : &cost->every, depth) - cost->untaken_ns;
}

/*
 * Calculates what a run costs each CPU, from what single hits cost (point_cost.h), how
 * many there were, and the program's own CPU time. Hits are paid for if they are sampled, if a
 * period leaves them out, or if a filter of the kernel rejects them. But rejected frees, and large
 * kmallocs that are left out, are not counted (PerfPoint.counts_calls).
 */

/* What a hit of a point costs. */
typedef struct {
	uint64_t sample_ns;   /* if it is sampled, without its stacks, in addition to: */
	uint64_t hit_ns;      /* each hit that an event counts */
	uint64_t rejected_ns; /* a hit that the filter rejects */
	uint64_t frame_ns;    /* each frame of the kernel in a sample */
	uint64_t user_ns;     /* a user stack: where its walk ends costs more than its frames */
} HitCost;

/* The hits of a point of a CPU that are paid for. Initially zero. */
typedef struct {
	uint64_t counted;
	uint64_t rejected;
} HitsPaid;

/* Pays for the hits so far: those that the point's events counted, and the calls of the tracepoint;
   0: not known, or no filter. Both may be late, but never fall for long. Returns nanoseconds. */
uint64_t hits_paid_pay(HitsPaid *paid, const HitCost *cost, uint64_t counted, uint64_t calls);

/* What the events of a CPU have cost. A longer period makes the first part smaller. */
typedef struct {
	uint64_t samples_ns;     /* the samples that were taken, and reading them */
	uint64_t hits_ns;        /* the hits, sampled or not */
	uint64_t rest_ns;        /* the CPU's part of what else the program did */
	uint64_t lost_ns;        /* in samples_ns: samples that found no room */
	uint64_t reading_ns;     /* in samples_ns: reading them ... */
	uint64_t taken_ns;       /* ... as far as they were of objects that are followed */
	uint64_t interrupted_ns; /* in rest_ns: interrupts by the program */
} CpuCost;

static inline uint64_t cpu_cost_sum(const CpuCost *cost)
{
	return cost->samples_ns + cost->hits_ns + cost->rest_ns;
}

/* Adds samples that found no room. The kernel notices that after walking their stacks; their depth
   is assumed to be that of the samples that were read. */
void cpu_cost_add_lost(CpuCost *cost, uint64_t lost, uint64_t read);

/* Pays for the interrupts of the CPU so far. */
void cpu_cost_interrupt(CpuCost *cost, uint64_t interrupted_ns);

static inline void cpu_cost_add_reading(CpuCost *cost, uint64_t ns)
{
	cost->samples_ns += ns;
	cost->reading_ns += ns;
}

/* Adds reading that took so long, if so many of the samples were taken. */
static inline void cpu_cost_add_taken(CpuCost *cost, uint64_t ns, uint64_t taken, uint64_t read)
{
	cost->taken_ns += read ? ns * (taken < read ? taken : read) / read : 0;
}

/* The CPU time of the program. Initially zero. */
typedef struct {
	uint64_t from_ns;  /* its CPU time at the last look; 0: none yet */
	uint64_t known_ns; /* since then, time that already belongs to a CPU */
} ReaderTime;

/* Begins at a CPU time of the program. */
static inline void reader_time_begin(ReaderTime *reader, uint64_t now_ns)
{
	*reader = (ReaderTime){ .from_ns = now_ns };
}

/* Adds time that belongs to a CPU. */
static inline void reader_time_add(ReaderTime *reader, uint64_t ns)
{
	reader->known_ns += ns;
}

/* Returns each of so many CPUs' part of the time that belongs to none, up to a CPU time. */
uint64_t reader_time_share(ReaderTime *reader, uint64_t now_ns, unsigned cpus);

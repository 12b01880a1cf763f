/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Calculates what a run costs each CPU, from what single hits cost (perf_cost.h, point_cost.h), how
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
	uint64_t reading_ns;     /* in samples_ns: reading them */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/points/point_events.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * What a hit of a probe costs the observed task. It depends on the kind of the probe and on what is
 * sampled, and the kernel does not measure it: the program hits a probe of the same kind itself, in
 * its own thread, with the same attributes. Stacks are then those of this program.
 */
typedef struct {
	bool is_known;
	uint64_t event_ns; /* of a hit, beyond what the task does without the probe */
	uint64_t bytes;    /* of a record; 0: none */
} PointCost;

/* Returns what a part of a hit costs others, from what it costs a short loop of this program, which
   stays in the CPU's caches and whose branches are predicted (doc/PERFORMANCE.md). */
static inline uint64_t cost_in_work(uint64_t loop_ns)
{
	enum { MORE_PERCENT = 10 };

	return loop_ns + loop_ns * MORE_PERCENT / 100;
}

/* Where a run leaves hits out, the cost of a sample is measured with one of this many: the kernel's
   walk is then as cold as in the run. */
enum { COST_SPARSE_PERIOD = 8 };

/* What becomes of a hit. */
typedef enum {
	POINT_HIT_SAMPLED,
	POINT_HIT_COUNTED,  /* the event counts it, and its period leaves it out */
	POINT_HIT_REJECTED, /* a filter of the kernel rejects it; another event counts it */
} PointHitKind;

/* What is to be measured. attr is what the run uses (sample_type, read_format, registers, stacks);
   its period and the fields that select the event do not matter. */
typedef struct {
	struct perf_event_attr attr;
	PointHitKind kind;
	unsigned period; /* one of so many hits is sampled: their cost is an average of all */
} PointVariant;

enum { POINT_COST_ROUNDS = 96, POINT_VARIANTS_MAX = 5 };

/* The same hits with and without the probe: nanoseconds of CPU time, of each round. */
typedef struct {
	uint64_t plain_ns[POINT_COST_ROUNDS];
	uint64_t probed_ns[POINT_COST_ROUNDS];
	unsigned count;  /* of rounds */
	uint64_t hits;   /* in each round */
	uint64_t bytes;  /* of records, in each round */
	unsigned period; /* one of so many hits has a record */
} PointCostRounds;

/* Returns the difference of the medians: others suffer from caches and interrupts, too. It is
   unknown after too few rounds, or if the result is implausible. */
PointCost point_cost_of_rounds(const PointCostRounds *rounds);

/*
 * Measures variants of an event, at most POINT_VARIANTS_MAX; takes some ten milliseconds, more
 * where probes are slowly removed. Call it before any event of the run is open: a tracepoint or a
 * probe costs something from then on. The probe that is hit instead of the event is:
 *
 *   tracepoint            kmem:kmem_cache_alloc; of system calls, the entry or exit of getppid()
 *   software event        page-faults
 *   kernel function       that of getppid()
 *   program's function    one of this program, whose first instruction is of the same kind
 *
 * On failure, a cost is unknown.
 */
void point_cost_measure(const PointHost *host, const PointEvent *event,
			const PointVariant *variants, unsigned count, PointCost *costs);

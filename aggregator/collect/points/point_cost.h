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
} PointCost;

enum { POINT_COST_ROUNDS = 24 };

/* The same hits with and without the probe: nanoseconds of CPU time, of each round. */
typedef struct {
	uint64_t plain_ns[POINT_COST_ROUNDS];
	uint64_t probed_ns[POINT_COST_ROUNDS];
	unsigned count; /* of rounds */
	uint64_t hits;  /* in each round */
} PointCostRounds;

/* Returns the difference of the medians: others suffer from caches and interrupts, too. It is
   unknown after too few rounds, or if the result is implausible. */
PointCost point_cost_of_rounds(const PointCostRounds *rounds);

/*
 * Measures; takes some ten milliseconds. attr is what the run uses (sample_type, read_format,
 * registers, stacks); its fields that select the event do not matter. A large sample_period
 * measures hits that are counted, but not sampled; 0 is 1. The probe that is hit instead of the
 * event is:
 *
 *   tracepoint            raw_syscalls:sys_enter, or the entry or exit of getppid()
 *   software event        page-faults
 *   kernel function       that of getppid()
 *   program's function    one of this program, whose first instruction is of the same kind
 *
 * Returns an unknown cost on failure.
 */
PointCost point_cost_measure(const PointHost *host, const PointEvent *event,
			     const struct perf_event_attr *attr);

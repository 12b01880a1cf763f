/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_period.h"
#include "collect/perf/perf_weight.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

/* A perf event of a simulated kernel, and the weights that are made of its samples: a loop without
   a kernel. */

/* What the kernel has of an event: perf_swevent_event(), perf_swevent_set_period() and
   perf_event_period() of kernel/events/core.c. */
typedef struct {
	uint64_t count;
	int64_t left;
	uint64_t sample_period;
	uint64_t last_period;
	uint64_t position; /* of the ring's head */
} Kernel;

/* The event and its reader. */
typedef struct {
	Kernel kernel;
	PerfWeight weight;
	uint64_t random;
	unsigned samples; /* of this block */
	bool has_begun;   /* a block, with the newest event */
} PerfLoop;

static inline void perf_loop_init(PerfLoop *loop, uint64_t random)
{
	*loop = (PerfLoop){ .random = random };
	loop->kernel.last_period = perf_period_aim(&loop->random);
	perf_weight_init(&loop->weight, (uint32_t)loop->kernel.last_period);
}

static inline void perf_loop_change(PerfLoop *loop, uint32_t period, bool is_aim)
{
	Kernel *kernel = &loop->kernel;
	const PerfChange made = { period, is_aim, kernel->position, kernel->position };

	kernel->sample_period = period;
	kernel->left = 0;
	cr_assert(perf_weight_can_change(&loop->weight));
	perf_weight_change(&loop->weight, &made, kernel->count);
	loop->samples = 0;
}

/* Returns whether an event becomes a sample. */
static inline bool perf_loop_is_sample(Kernel *kernel)
{
	int64_t period = (int64_t)kernel->last_period;
	int64_t times;

	kernel->count++;
	if (kernel->sample_period == 1)
		return true;
	if (++kernel->left < 0)
		return false;
	kernel->last_period = kernel->sample_period;
	times = (period + kernel->left) / period;
	kernel->left -= times * period;
	/* Else the kernel holds it for a flood. */
	cr_assert_eq(times, 1);
	return true;
}

/* An event happens. Returns how many its sample stands for; 0: none was taken, or it is to be left
   out. */
static inline uint32_t perf_loop_event(PerfLoop *loop)
{
	enum { RECORD_BYTES = 8 }; /* in the ring: any will do */
	Kernel *kernel = &loop->kernel;
	uint32_t weight;

	loop->has_begun = false;
	if (!perf_loop_is_sample(kernel))
		return 0;
	loop->samples++;
	weight = perf_weight_take(&loop->weight, kernel->position, kernel->count);
	loop->has_begun = loop->weight.was_changed && !loop->weight.is_aim;
	kernel->position += RECORD_BYTES;
	return weight;
}

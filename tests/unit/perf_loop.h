/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_period.h"
#include "collect/perf/perf_weight.h"

#include <criterion/criterion.h>
#include <stdbool.h>
#include <stdint.h>

/* The two perf events of a point in a simulated kernel, and the weights that are made of their
   samples: perf_turn.c without a kernel. */

/* What the kernel has of an event: perf_swevent_event(), perf_swevent_set_period() and
   perf_event_period() of kernel/events/core.c, perf_trace_add() of kernel/trace/trace_event_perf.c.
 */
typedef struct {
	bool is_enabled;
	uint64_t count;
	int64_t left;
	uint64_t sample_period;
	uint64_t last_period;
} KernelEvent;

/* The events and their reader. */
typedef struct {
	KernelEvent twins[PERF_TWINS];
	bool resets_when_enabled; /* as since 6.13 */
	bool is_full;             /* the ring: samples find no room */
	uint64_t position;        /* of the ring's head */
	PerfWeight weight;
	uint64_t random;
	unsigned twin; /* that begins or has begun the newest series */
	uint32_t phase;
	unsigned samples; /* that counted, of this series */
	bool has_begun;   /* a series, with the newest event */
} PerfLoop;

static inline void kernel_set_period(KernelEvent *event, uint64_t period)
{
	event->sample_period = period;
	event->left = 0;
}

/* perf_swevent_set_period(): returns how many samples are due. */
static inline int64_t kernel_due(KernelEvent *event)
{
	int64_t period = (int64_t)event->last_period, times;

	event->last_period = event->sample_period;
	if (event->left < 0)
		return 0;
	times = (period + event->left) / period;
	event->left -= times * period;
	return times;
}

/* The kernel arranges all events of a CPU anew when one is enabled. */
static inline void kernel_enable(PerfLoop *loop, unsigned twin)
{
	loop->twins[twin].is_enabled = true;
	for (unsigned i = 0; loop->resets_when_enabled && i < PERF_TWINS; i++) {
		KernelEvent *event = &loop->twins[i];

		if (!event->is_enabled)
			continue;
		event->last_period = event->sample_period;
		kernel_due(event);
	}
}

/* Returns whether an event becomes a sample. */
static inline bool kernel_takes(KernelEvent *event)
{
	int64_t due;

	event->count++;
	if (event->sample_period == 1)
		return true;
	if (++event->left < 0)
		return false;
	due = kernel_due(event);
	/* Else the kernel holds it for a flood. */
	cr_assert_eq(due, 1);
	return true;
}

static inline uint32_t perf_loop_take(PerfLoop *loop, unsigned twin)
{
	enum { RECORD_BYTES = 8 }; /* in the ring: any will do */
	KernelEvent *event = &loop->twins[twin];
	uint32_t weight;

	if (!event->is_enabled || !kernel_takes(event) || loop->is_full)
		return 0;
	weight = perf_weight_take(&loop->weight, twin, loop->position, event->count);
	loop->position += RECORD_BYTES;
	loop->has_begun |= loop->weight.has_begun;
	loop->samples += weight > 0;
	return weight;
}

/* An event happens. Returns how many it stands for; 0: it was not taken. The event that was opened
   last is asked first. */
static inline uint32_t perf_loop_event(PerfLoop *loop)
{
	uint32_t weight;

	loop->has_begun = false;
	weight = perf_loop_take(loop, 1);
	return weight + perf_loop_take(loop, 0);
}

/* The stages of a turn, each of which ends with an event. */

static inline void perf_loop_park(PerfLoop *loop)
{
	loop->twin = !loop->twin;
	kernel_set_period(&loop->twins[loop->twin], PERF_PARKED);
	kernel_enable(loop, loop->twin);
}

static inline void perf_loop_aim(PerfLoop *loop, uint32_t period)
{
	loop->phase = perf_period_phase(&loop->random, period);
	kernel_set_period(&loop->twins[loop->twin], loop->phase);
}

static inline void perf_loop_start(PerfLoop *loop, uint32_t period)
{
	KernelEvent *event = &loop->twins[loop->twin];
	const PerfStart start = { period,         loop->phase,  loop->position,
				  loop->position, event->count, loop->twins[!loop->twin].count };

	kernel_set_period(event, period);
	perf_weight_start(&loop->weight, loop->twin, &start);
	loop->samples = 0;
}

static inline void perf_loop_retire(PerfLoop *loop)
{
	unsigned other = !loop->twin;

	loop->twins[other].is_enabled = false;
	perf_weight_end(&loop->weight, other, loop->twins[other].count);
}

/* Begins with a series of all events. */
static inline void perf_loop_init(PerfLoop *loop, uint64_t random)
{
	*loop = (PerfLoop){ .random = random, .resets_when_enabled = random % 2 };
	for (unsigned i = 0; i < PERF_TWINS; i++) {
		loop->twins[i].last_period = PERF_PARKED;
		kernel_set_period(&loop->twins[i], PERF_PARKED);
	}
	kernel_enable(loop, 0);
	perf_loop_start(loop, 1);
}

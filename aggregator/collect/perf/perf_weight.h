/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Calculates how many events each sample of a perf event stands for. A sample contains the event's
 * running count (PERF_SAMPLE_READ). So the sum of all weights, the losses, and the events after the
 * newest sample equals the kernel's count, whatever the period was.
 *
 * If the period changes while the event counts, the kernel does this (perf_event_period() and
 * perf_swevent_set_period(), the same from 5.10 to 7.2): the next event becomes a sample at once;
 * the distance to the following sample still has the previous period; then the new period applies.
 * The immediate sample depends on the time of the change, not on the frequency of the event:
 * changes happen where a loop spends its time. So this sample is left out, and its weight is spread
 * over the next samples.
 *
 * The kernel counts an event, and later writes its sample with the count of that moment. If an
 * interrupt comes in between, with events of its own, the interrupted event's sample follows the
 * interrupt's samples, with the same count as the newest of them. So a missing event is awaited for
 * some time.
 */

enum { PERF_CHANGES_MAX = 16 };

/* A change of the period, and its place in the ring: records before from have the old period,
   records at to and after it the new one. */
typedef struct {
	uint32_t period;
	bool is_aim; /* only for the distance after the next change: see perf_period_aim() */
	uint64_t from;
	uint64_t to;
} PerfChange;

/* One event of one CPU; initialised by perf_weight_init(). */
typedef struct {
	uint32_t period;       /* at the newest sample; 0: none, samples are left out */
	uint32_t last_period;  /* used by the kernel for the distance after a change */
	bool is_aim;           /* the period in force is an aim period: see PerfChange */
	uint32_t aimed;        /* samples left out because of is_aim */
	bool comes_at_once;    /* the next sample is the immediate one after a change */
	unsigned unsure;       /* number of samples to come after one inside a change */
	bool was_changed;      /* at the newest sample: its period differs from the one before */
	uint64_t reach;        /* largest possible distance to the next sample */
	uint64_t seen;         /* running count at the newest sample */
	uint64_t accounted;    /* events assigned to samples, or lost */
	uint64_t lost;         /* events */
	uint64_t lost_samples; /* at least, as a period may have changed meanwhile */
	/* Events that are missing before a sample, but whose own samples may still arrive: until
	   the second perf_weight_settle() from then. */
	uint64_t awaited;
	uint64_t awaited_before; /* from before the newest call */
	uint64_t start_count;    /* lower bound of the count before the first sample of the run */
	bool has_started;
	unsigned changes_count; /* changes without a sample yet */
	PerfChange changes[PERF_CHANGES_MAX];
} PerfWeight;

/* For an event that was opened with that period and does not count yet. */
void perf_weight_init(PerfWeight *weight, uint32_t opened_period);

/* Returns whether there is room for another change. If not, read the ring first. */
bool perf_weight_can_change(const PerfWeight *weight);

/* Enters a change of the period. count: the event's count soon after the first change, which is the
   start value. */
void perf_weight_change(PerfWeight *weight, const PerfChange *change, uint64_t count);

/* Takes a sample at that position in the ring, with that running count. Returns how many events it
   stands for; 0: leave it out. */
uint32_t perf_weight_take(PerfWeight *weight, uint64_t position, uint64_t count);

/* Counts as lost the events that were already awaited before the previous call. Call it from time
   to time after reading the ring, at longer intervals than an interrupt takes. */
void perf_weight_settle(PerfWeight *weight);

/* Leaves out that many events, which have just happened: no sample stands for them. */
void perf_weight_excuse(PerfWeight *weight, uint64_t events);

/* Returns whether more samples are still to come for an event with that count. */
bool perf_weight_is_behind(const PerfWeight *weight, uint64_t count);

/* Ends the event with that count. Events that did not arrive are lost. */
void perf_weight_end(PerfWeight *weight, uint64_t count);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * How many events each sample of a perf event stands for. A sample has the event's running count
 * (PERF_SAMPLE_READ), so that all weights, what was lost, and what came after the newest sample are
 * together what the kernel counted, whatever the period was.
 *
 * While the event counts, the kernel is given another period like this (perf_event_period() and
 * perf_swevent_set_period(), the same from 5.10 to 7.2): the next event becomes a sample at once;
 * the distance to the one after it is still of the period before; then the new one holds. The
 * sample that comes at once says when the change was made rather than what happens often: where a
 * loop spends its time, changes fall. So it is left out, and what it would have stood for is
 * spread over the next ones.
 *
 * The kernel counts an event, and later writes its sample with the count of that moment. When an
 * interrupt comes in between, whose own events are counted and written, the interrupted one's
 * sample follows behind theirs, with the same count as the newest of them. So an event that is
 * missing is waited for.
 */

enum { PERF_CHANGES_MAX = 16 };

/* A change of the period, and where in the ring it was made: records before from are of the time
   before, those at to and behind it of the time after. */
typedef struct {
	uint32_t period;
	bool is_aim; /* made for the distance after the next change only: see perf_period_aim() */
	uint64_t from;
	uint64_t to;
} PerfChange;

/* One event of one CPU; perf_weight_init(). */
typedef struct {
	uint32_t period;      /* in force at the newest sample; 0: none is, samples are left out */
	uint32_t last_period; /* what the kernel uses for the distance after a change */
	bool is_aim;          /* likewise */
	uint32_t aimed;       /* samples that were left out for that */
	bool comes_at_once;   /* the next sample is the one that a change makes */
	unsigned unsure;      /* so many samples come after one that lay where the period changed */
	bool was_changed;   /* at the newest sample: it is of another period than the one before */
	uint64_t reach;     /* so far away the next sample is at most */
	uint64_t seen;      /* the running count at the newest sample */
	uint64_t accounted; /* events that were given to samples, or are lost */
	uint64_t lost;      /* events */
	uint64_t lost_samples; /* at least so many, as a period may have changed meanwhile */
	/* Events that were missing before a sample, but whose own samples may yet come: until the
	   second perf_weight_settle() from then on. */
	uint64_t awaited;
	uint64_t awaited_before; /* of before the newest one */
	uint64_t start_count; /* the count was at least that before the first sample of the run */
	bool has_started;
	unsigned changes_count; /* that no sample was seen of yet */
	PerfChange changes[PERF_CHANGES_MAX];
} PerfWeight;

/* An event that was opened with that period, and does not count yet. */
void perf_weight_init(PerfWeight *weight, uint32_t opened_period);

/* Returns whether there is room for one more change: else the ring is to be read first. */
bool perf_weight_can_change(const PerfWeight *weight);

/* The period was changed. count: of the event soon after the first change, with which it starts. */
void perf_weight_change(PerfWeight *weight, const PerfChange *change, uint64_t count);

/* Takes a sample that lies there in the ring and has that running count. Returns how many events it
   stands for; 0: it is to be left out. */
uint32_t perf_weight_take(PerfWeight *weight, uint64_t position, uint64_t count);

/* Enters as lost what was waited for since before the call before. To be called now and then, when
   the ring was read: less often than an interrupt takes. */
void perf_weight_settle(PerfWeight *weight);

/* Leaves out that many events, which have just happened: no sample stands for them. */
void perf_weight_excuse(PerfWeight *weight, uint64_t events);

/* Returns whether more samples are to come of an event that has come to that count. */
bool perf_weight_is_behind(const PerfWeight *weight, uint64_t count);

/* The event has ended with that count: what did not come of it is lost. */
void perf_weight_end(PerfWeight *weight, uint64_t count);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Calculates how many events each sample of a point on a CPU stands for. doc/SAMPLING.md explains
 * the estimator.
 *
 * A point has two perf events, twins, which take turns. The one in force takes one of p events:
 * each of its samples weighs p. To change p, the other twin begins a series, and the first one
 * stays enabled until then. Each event of the point belongs to one series, in the order of the
 * ring:
 *
 *     twin 0, p = 7   ---x------x------x------x--|   disabled
 *     twin 1, p = 5              parked          1---x----x----x----x----x
 *                                                |-r-|
 *
 * A series begins with an event that is taken for certain (1), which weighs 1. The next sample is
 * the rth event of the series, then every pth one is taken. r is drawn from 2 to p + 1, all equally
 * likely, whatever the point's events are: so each event is taken with the probability 1 / p, and
 * the weight p makes every sum of weights unbiased. The rest of a series without a sample needs no
 * correction. When a series ends and which period comes next must not depend on what the series
 * samples.
 *
 * How to give an event its phase r: if the period of an event that counts is set, the kernel
 * (perf_event_period(), perf_swevent_set_period(), the same from 5.10 to 7.2) takes the next event
 * at once; the sample after that is as far as the period that was in force when the event was last
 * taken; then the new period applies. So the other twin is enabled with a period that never ends
 * (PERF_PARKED). After one sample its period is set to r, after one more to p. While it is parked,
 * each change makes one sample, which shows that the change is in force.
 *
 * Loss: a sample contains its event's running count (PERF_SAMPLE_READ), and the counts of all
 * samples of a series are known in advance. A sample whose count is p or more above the expected
 * one shows lost samples, each of which stood for p events. The kernel counts an event, and later
 * writes its sample with the count of that moment. If an interrupt comes in between, with events of
 * its own, the interrupted event's sample follows the interrupt's samples, with the same count as
 * the newest of them. So a missing sample is awaited for some time.
 *
 * While both twins are enabled, both miss the events for which the ring has no room. Each lost
 * event counts once: their counts, read together when the series began, show which event is the
 * last one of the series before.
 */

/* Periods of an event that is enabled but takes (almost) none. */
#define PERF_PARKED (1U << 30)

enum { PERF_TWINS = 2 };

/* A series that begins: its period was set while the ring's head was between two positions. */
typedef struct {
	uint32_t period;
	uint32_t phase; /* r; with period 1 there is none */
	uint64_t from;
	uint64_t to;
	uint64_t count; /* of the event, after its period was set */
	uint64_t other; /* of its twin, read together with count */
} PerfStart;

/* One of the twins. */
typedef struct {
	bool is_starting;  /* its next sample from start.from on begins a series */
	bool has_begun;    /* a series, which has not ended */
	PerfStart start;   /* of that series */
	uint64_t expected; /* running count at its next sample */
	uint64_t seen;     /* ... at the newest one */
	uint64_t until;    /* ... at its last event, once the other twin is in force; 0: is not */
	uint64_t samples;  /* seen at all, parked or not */
	/* Samples that are missing, but may still arrive: until the second perf_weight_settle()
	   from then. */
	uint64_t awaited;
	uint64_t awaited_before; /* from before the newest call */
} PerfSeries;

/* A point of one CPU; initially zero. */
typedef struct {
	PerfSeries series[PERF_TWINS];
	unsigned in_force;     /* the twin whose samples count */
	bool has_begun;        /* the newest sample was the first one of a series */
	uint64_t lost;         /* events */
	uint64_t lost_samples; /* that stood for them */
} PerfWeight;

/* Enters a series of a twin. */
void perf_weight_start(PerfWeight *weight, unsigned twin, const PerfStart *start);

/* Takes a sample of a twin at that position in the ring, with that running count. Returns how many
   events it stands for; 0: it does not count. */
uint32_t perf_weight_take(PerfWeight *weight, unsigned twin, uint64_t position, uint64_t count);

/* Counts as lost the samples that were already awaited before the previous call. Call it from time
   to time after reading the ring, at longer intervals than an interrupt takes. */
void perf_weight_settle(PerfWeight *weight);

/* Returns whether samples of a twin with that count are still to come. */
bool perf_weight_is_behind(const PerfWeight *weight, unsigned twin, uint64_t count);

/* Ends the series of a twin, which was disabled with that count. Samples that did not arrive are
   lost. */
void perf_weight_end(PerfWeight *weight, unsigned twin, uint64_t count);

/* Returns the period in force; 0: no series has begun. */
static inline uint32_t perf_weight_period(const PerfWeight *weight)
{
	const PerfSeries *series = &weight->series[weight->in_force];

	hot_assert(weight->in_force < G_N_ELEMENTS(weight->series));
	return series->has_begun ? series->start.period : 0;
}

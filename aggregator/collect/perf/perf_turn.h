/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/perf/perf_events.h"
#include "collect/perf/perf_weight.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The twins of a point on a CPU take turns (perf_weight.h): each begins a series of samples while
 * the other one is still in force. A turn has stages, each of which ends with an event of the
 * point. Where events are rare, a turn takes long, and the series before goes on.
 *
 * When a series ends is decided before it begins, or by the kernel's count of events: what a series
 * samples must not tell its end.
 */

typedef enum {
	PERF_TURN_NONE,    /* one of them is enabled */
	PERF_TURN_PARKED,  /* the other one, too, but it takes no sample after the first one */
	PERF_TURN_AIMED,   /* ... and its period is the phase of its series */
	PERF_TURN_STARTED, /* ... and its next sample begins the series */
} PerfTurnStage;

/* The turns of a point of a CPU. Initially zero. */
typedef struct {
	PerfTurnStage stage;
	unsigned twin;     /* that begins, or has begun, the newest series */
	uint32_t period;   /* of that series; 0: none has begun */
	uint32_t phase;    /* ... as in PerfStart */
	uint64_t count;    /* of the twin, at the last change of its period */
	uint64_t events;   /* of the series before */
	uint64_t parked;   /* the twin's count when it was enabled */
	uint64_t both;     /* events that both twins have counted, in all turns before */
	uint64_t began_ns; /* the series in force */
	uint64_t due_ns;   /* when to look again */
	uint64_t wait_ns;  /* until then */
} PerfTurn;

/* A point of a CPU. Everything is borrowed. */
typedef struct {
	PerfTurn *turn;
	PerfWeight *weight;
	PerfEvents *events;
	PerfCpu *cpu;
	unsigned point;
	uint64_t *random; /* state of perf_period_random() */
	uint32_t nominal; /* one of this many events is to be taken */
	/* Reads the CPU's ring. */
	void (*read)(void *user_data);
	/* Ends the series of an event that was disabled with that count: perf_weight_end(). */
	void (*end)(PerfEventId event, uint64_t count, void *user_data);
	void *user_data;
} PerfTurnPlace;

/* Begins the first series, of every event. The first twin counts already. */
void perf_turn_first(const PerfTurnPlace *at);

/* Begins a turn: the other twin is to take over with that period. */
void perf_turn_begin(const PerfTurnPlace *at, uint32_t period);

/* Goes on with a turn as far as events have come. Returns whether it is complete. */
bool perf_turn_advance(const PerfTurnPlace *at);

/* Begins a turn if one is due, and goes on with it. Call it often. */
void perf_turn_look(const PerfTurnPlace *at, uint64_t now_ns);

/* Returns how many events the twins have counted, each once; those that both have counted make a
   third more, because the second one costs so much (doc/PERFORMANCE.md). */
uint64_t perf_turn_events(const PerfTurnPlace *at);

/* Whether perf_turn_look() has something to do while one of nominal events is to be taken. */
static inline bool perf_turn_is_needed(const PerfTurn *turn, uint32_t nominal)
{
	return nominal > 1 || turn->period != 1 || turn->stage != PERF_TURN_NONE;
}

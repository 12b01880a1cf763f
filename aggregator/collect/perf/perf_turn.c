/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stages of a turn of twins on one point and CPU: park, aim, start, settle; each is left when
 * an event has shown that the change is in force. perf_cpus.c looks at all turns every 10 ms;
 * perf_weight.c needs the counts that are noted here.
 */
#include "collect/perf/perf_turn.h"

#include "base/clock.h"
#include "base/hot_assert.h"
#include "collect/perf/perf_period.h"

enum {
	SAMPLES_OF_SERIES = 64, /* a series has about as many, if its time allows */
	SAMPLES_MIN = 8,        /* ... and events for at least as many, unless it is old */
	OLD = 4,                /* times SERIES_NS_MAX */
	POLLS = 4,              /* of a busy CPU, before others get their turn */
};
/* The least and the longest time of a series. */
#define SERIES_NS_MIN 20000000ULL
#define SERIES_NS_MAX 250000000ULL
/* The first and the longest time until a CPU is asked again whether it had an event. */
#define WAIT_NS_MIN 10000000ULL
#define WAIT_NS_MAX 160000000ULL

static PerfEventId event_of(const PerfTurnPlace *at)
{
	return (PerfEventId){ at->point, at->turn->twin };
}

static uint64_t count_of(const PerfTurnPlace *at)
{
	return perf_events_count(at->events, at->cpu, event_of(at));
}

static void set_period(const PerfTurnPlace *at, uint32_t period)
{
	perf_events_set_period(at->events, at->cpu, event_of(at), period);
}

static void enter_stage(PerfTurn *turn, PerfTurnStage stage)
{
	turn->stage = stage;
	turn->wait_ns = WAIT_NS_MIN;
}

/* Reads both twins' counts, of about the same moment even if something else runs meanwhile. */
static void count_both(const PerfTurnPlace *at, PerfStart *start)
{
	enum { TRIES = 3 };
	const PerfEventId other = { at->point, !at->turn->twin };
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES && least; i++) {
		uint64_t before = count_of(at);
		uint64_t count = perf_events_count(at->events, at->cpu, other);
		uint64_t meanwhile = count_of(at) - before;

		if (meanwhile >= least)
			continue;
		start->count = before;
		start->other = count;
		least = meanwhile;
	}
}

/* From now on, the twin takes what its period says. */
static void start_series(const PerfTurnPlace *at)
{
	const PerfRing *ring = &at->cpu->samples;
	PerfTurn *turn = at->turn;
	PerfStart start = { .period = turn->period, .phase = turn->phase };

	start.from = perf_ring_head(ring);
	set_period(at, start.period);
	start.to = perf_ring_head(ring);
	count_both(at, &start);
	turn->count = start.count;
	perf_weight_start(at->weight, turn->twin, &start);
	enter_stage(turn, PERF_TURN_STARTED);
}

/* Gives the coming series its phase. */
static void perf_turn_aim(const PerfTurnPlace *at)
{
	at->turn->phase = perf_period_phase(at->random, at->turn->period);
	set_period(at, at->turn->phase);
	at->turn->count = count_of(at);
	enter_stage(at->turn, PERF_TURN_AIMED);
}

/* The time in which about SAMPLES_OF_SERIES samples come, judged by the series before. It is the
   same for all periods that may be drawn, so that one of nominal events is taken. */
static uint64_t series_ns(uint32_t nominal, uint64_t events, uint64_t elapsed_ns)
{
	uint64_t wanted = (uint64_t)nominal * SAMPLES_OF_SERIES;

	if (!events || wanted / events > SERIES_NS_MAX / MAX(elapsed_ns, 1))
		return SERIES_NS_MAX;
	return CLAMP(wanted * elapsed_ns / events, SERIES_NS_MIN, SERIES_NS_MAX);
}

/* Retires the other twin: the turn is over. */
static void perf_turn_settle(const PerfTurnPlace *at)
{
	PerfTurn *turn = at->turn;
	const PerfEventId other = { at->point, !turn->twin };
	uint64_t now_ns = clock_monotonic_ns(), count;

	perf_events_switch(at->events, at->cpu, other, false);
	turn->both += count_of(at) - turn->parked;
	count = perf_events_count(at->events, at->cpu, other);
	at->read(at->user_data);
	at->end(other, count, at->user_data);
	turn->stage = PERF_TURN_NONE;
	turn->wait_ns = series_ns(at->nominal, turn->events, now_ns - turn->began_ns);
	turn->began_ns = now_ns;
	turn->due_ns = now_ns + turn->wait_ns;
}

uint64_t perf_turn_events(const PerfTurnPlace *at)
{
	enum { SECOND_PART = 3 };
	const PerfEventId other = { at->point, !at->turn->twin };
	const PerfTurn *turn = at->turn;
	uint64_t newest = count_of(at);
	uint64_t both = turn->both + (turn->stage == PERF_TURN_NONE ? 0 : newest - turn->parked);

	newest += perf_events_count(at->events, at->cpu, other);
	return newest - MIN(both, newest) + both / SECOND_PART;
}

void perf_turn_first(const PerfTurnPlace *at)
{
	at->turn->period = 1;
	start_series(at);
	at->turn->stage = PERF_TURN_NONE;
	at->turn->began_ns = clock_monotonic_ns();
}

void perf_turn_begin(const PerfTurnPlace *at, uint32_t period)
{
	PerfTurn *turn = at->turn;

	turn->events = count_of(at) - turn->count;
	turn->twin = !turn->twin;
	turn->period = period;
	turn->count = turn->parked = count_of(at);
	set_period(at, PERF_PARKED);
	perf_events_switch(at->events, at->cpu, event_of(at), true);
	enter_stage(turn, PERF_TURN_PARKED);
	/* With period 1, there is no phase: a sample without distance before it shows the change.
	 */
	if (period == 1)
		start_series(at);
}

/* Whether an event has shown that the last change is in force. */
static bool has_come(const PerfTurnPlace *at)
{
	const PerfTurn *turn = at->turn;

	hot_assert(turn->twin < G_N_ELEMENTS(at->weight->series));
	if (turn->stage != PERF_TURN_STARTED)
		return count_of(at) > turn->count;
	at->read(at->user_data);
	return !at->weight->series[turn->twin].is_starting;
}

bool perf_turn_advance(const PerfTurnPlace *at)
{
	static void (*const steps[])(const PerfTurnPlace *) = {
		[PERF_TURN_PARKED] = perf_turn_aim,
		[PERF_TURN_AIMED] = start_series,
		[PERF_TURN_STARTED] = perf_turn_settle,
	};

	for (unsigned i = 0; i < POLLS && at->turn->stage != PERF_TURN_NONE; i++)
		if (has_come(at)) {
			hot_assert(at->turn->stage < G_N_ELEMENTS(steps));
			steps[at->turn->stage](at);
		}
	return at->turn->stage == PERF_TURN_NONE;
}

/* Whether the series has had its events; if not, it goes on. */
static bool may_end(const PerfTurnPlace *at, uint64_t now_ns)
{
	PerfTurn *turn = at->turn;
	uint64_t events;

	if (turn->period == 1)
		return true;
	events = count_of(at) - turn->count;
	if (events >= (uint64_t)turn->period * SAMPLES_MIN ||
	    (events && now_ns > turn->began_ns + OLD * SERIES_NS_MAX))
		return true;
	turn->due_ns = now_ns + turn->wait_ns;
	return false;
}

/* Begins a turn with a random period. If all events are taken before and after, that goes on.
   Returns whether a turn has begun. */
static bool perf_turn_draw(const PerfTurnPlace *at, uint64_t now_ns)
{
	uint32_t period = perf_period_draw(at->random, at->nominal);

	if (period == 1 && at->turn->period == 1) {
		at->turn->due_ns = now_ns + SERIES_NS_MIN;
		return false;
	}
	perf_turn_begin(at, period);
	return true;
}

void perf_turn_look(const PerfTurnPlace *at, uint64_t now_ns)
{
	PerfTurn *turn = at->turn;

	if (now_ns < turn->due_ns)
		return;
	if (turn->stage == PERF_TURN_NONE && (!may_end(at, now_ns) || !perf_turn_draw(at, now_ns)))
		return;
	if (perf_turn_advance(at))
		return;
	/* A quiet CPU is asked less and less often. */
	turn->due_ns = clock_monotonic_ns() + turn->wait_ns;
	turn->wait_ns = MIN(2 * turn->wait_ns, WAIT_NS_MAX);
}

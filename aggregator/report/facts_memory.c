/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the state of memory: const tables say which figures become which facts. Called by
 * facts.c.
 */
#include "report/facts_memory.h"

#include "names/host_state.h"

enum { NS_PER_US = 1000 };

/* Two readings. */
typedef struct {
	HostState start;
	HostState end;
	uint64_t span_ns; /* between them; 0: unknown */
} MemoryStates;

/* Figures that are shown at both times. */
static const struct {
	HostFigure figure;
	FactId start;
	FactId end;
} levels[] = {
	{ HOST_MEMORY_FREE, FACT_MEMORY_FREE_START, FACT_MEMORY_FREE_END },
	{ HOST_MEMORY_AVAILABLE, FACT_MEMORY_AVAILABLE_START, FACT_MEMORY_AVAILABLE_END },
	{ HOST_SLAB, FACT_SLAB_START, FACT_SLAB_END },
	{ HOST_SLAB_UNRECLAIMABLE, FACT_SLAB_UNRECLAIMABLE_START, FACT_SLAB_UNRECLAIMABLE_END },
};

/* Counters of which the change is shown. */
static const struct {
	HostFigure figure;
	FactId change;
} counters[] = {
	{ HOST_MAJOR_FAULTS, FACT_MAJOR_FAULTS },
	{ HOST_RECLAIM_STALLS, FACT_RECLAIM_STALLS },
	{ HOST_OOM_KILLS, FACT_OOM_KILLS },
};

/* Times in us, shown as a share of the time between the readings. */
static const struct {
	HostFigure figure;
	FactId share;
} pressures[] = {
	{ HOST_PRESSURE_SOME_US, FACT_PRESSURE_SOME },
	{ HOST_PRESSURE_FULL_US, FACT_PRESSURE_FULL },
};

static void set_level(Facts *facts, FactId id, const HostState *state, HostFigure figure)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	g_assert(figure < G_N_ELEMENTS(state->numbers));
	if (state->known[figure])
		fact_set_number(facts, id, state->numbers[figure]);
}

/* Returns false if a reading lacks the counter, or if it went back, which no kernel's does. */
static bool change_of(const MemoryStates *states, HostFigure figure, uint64_t *change)
{
	uint64_t start = states->start.numbers[figure], end = states->end.numbers[figure];

	g_assert(figure < G_N_ELEMENTS(states->start.numbers));
	*change = end - start;
	return states->start.known[figure] && states->end.known[figure] && end >= start;
}

static void set_changes(Facts *facts, const MemoryStates *states)
{
	uint64_t span_us = states->span_ns / NS_PER_US, change;

	for (gsize i = 0; i < G_N_ELEMENTS(counters); i++)
		if (change_of(states, counters[i].figure, &change))
			fact_set_number(facts, counters[i].change, change);
	/* The kernel's clock of pressure may be a little ahead. */
	for (gsize i = 0; i < G_N_ELEMENTS(pressures); i++)
		if (change_of(states, pressures[i].figure, &change))
			fact_set_share(facts, pressures[i].share, MIN(change, span_us), span_us);
}

void facts_set_memory_state(Facts *facts, const Session *session)
{
	const RunText *text = session->text;
	uint64_t start_ns = run_text_time_ns(text, KMT_BATCH_MEMORY, KMT_READING_START);
	uint64_t end_ns = run_text_time_ns(text, KMT_BATCH_MEMORY, KMT_READING_END);
	const MemoryStates states = {
		host_state_parse(run_text_of(text, KMT_BATCH_MEMORY, KMT_READING_START)),
		host_state_parse(run_text_of(text, KMT_BATCH_MEMORY, KMT_READING_END)),
		start_ns && end_ns > start_ns ? end_ns - start_ns : 0,
	};

	if (states.start.known[HOST_MEMORY_TOTAL])
		fact_set_number(facts, FACT_MEMORY_TOTAL, states.start.numbers[HOST_MEMORY_TOTAL]);
	for (gsize i = 0; i < G_N_ELEMENTS(levels); i++) {
		set_level(facts, levels[i].start, &states.start, levels[i].figure);
		set_level(facts, levels[i].end, &states.end, levels[i].figure);
	}
	set_changes(facts, &states);
}

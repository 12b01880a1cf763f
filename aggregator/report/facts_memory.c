/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Facts about the state of memory: the table of facts says which figure each of them shows. Called
 * by facts.c.
 */
#include "report/facts_memory.h"

#include "record/format.h"

enum { NS_PER_US = 1000 };

/* Two readings. */
typedef struct {
	HostState start;
	HostState end;
	uint64_t span_ns; /* between them; 0: unknown */
} MemoryStates;

/* Returns false if a reading lacks the counter, or if it went back, which no kernel's does. */
static bool change_of(const MemoryStates *states, HostFigure figure, uint64_t *change)
{
	uint64_t start = states->start.numbers[figure], end = states->end.numbers[figure];

	g_assert(figure < G_N_ELEMENTS(states->start.numbers));
	*change = end - start;
	return states->start.known[figure] && states->end.known[figure] && end >= start;
}

static void set_level(Facts *facts, FactId id, const HostState *state)
{
	HostFigure figure = fact_kinds[id].figure;

	g_assert(figure < G_N_ELEMENTS(state->numbers));
	if (state->known[figure])
		fact_set_number(facts, id, state->numbers[figure]);
}

static void set_fact(Facts *facts, FactId id, const MemoryStates *states)
{
	uint64_t span_us = states->span_ns / NS_PER_US, change;

	if (fact_kinds[id].memory == MEMORY_AT_START)
		set_level(facts, id, &states->start);
	else if (fact_kinds[id].memory == MEMORY_AT_END)
		set_level(facts, id, &states->end);
	else if (!change_of(states, fact_kinds[id].figure, &change))
		return;
	else if (fact_kinds[id].memory == MEMORY_CHANGE)
		fact_set_number(facts, id, change);
	else /* the kernel's clock of pressure may be a little ahead */
		fact_set_share(facts, id, MIN(change, span_us), span_us);
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

	for (FactId id = 0; id < FACTS; id++)
		if (fact_kinds[id].memory != NOT_OF_MEMORY)
			set_fact(facts, id, &states);
}

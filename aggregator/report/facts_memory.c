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

static void set_level(Facts *facts, FactId id, const HostState *state)
{
	HostFigure figure = fact_kinds[id].figure;

	g_assert(figure < G_N_ELEMENTS(state->numbers));
	if (state->known[figure])
		fact_set_number(facts, id, state->numbers[figure]);
}

static void set_fact(Facts *facts, FactId id, const MemoryStates *states)
{
	const HostState *before = &states->start, *after = &states->end;
	HostFigure figure = fact_kinds[id].figure;
	uint64_t span_us = states->span_ns / NS_PER_US;
	uint64_t start, end;

	g_assert(figure < G_N_ELEMENTS(before->numbers));
	start = before->numbers[figure];
	end = after->numbers[figure];
	if (fact_kinds[id].memory == MEMORY_AT_START)
		set_level(facts, id, before);
	else if (fact_kinds[id].memory == MEMORY_AT_END)
		set_level(facts, id, after);
	else if (!before->known[figure] || !after->known[figure] || end < start)
		return; /* no kernel's counter goes back */
	else if (fact_kinds[id].memory == MEMORY_CHANGE)
		fact_set_number(facts, id, end - start);
	else /* the kernel's clock of pressure may be a little ahead */
		fact_set_share(facts, id, MIN(end - start, span_us), span_us);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The line "Memory:": levels at both ends of the run, and what changed. text_stacks.c,
 * text_slabstack.c and page_plain.c call it; text_info.c for one end.
 */
#include "render/text/render_text.h"

#include "base/number_text.h"

#include <string.h>

/* Returns the unit of an amount, " GiB". */
static const char *unit_of(const GString *amount)
{
	const char *unit = strrchr(amount->str, ' ');

	return unit ? unit : "";
}

/* Removes the unit of an amount if a following amount has the same. */
static void share_unit(GString *amount, const GString *next)
{
	const char *unit = unit_of(amount);

	if (g_str_equal(unit, unit_of(next)))
		g_string_truncate(amount, amount->len - strlen(unit));
}

/* Appends "15.4 -> 15.1 GiB"; one amount if both read the same, or if only one is known. */
static void append_level(GString *out, const Facts *facts, FactId start, FactId end)
{
	g_autoptr(GString) first = g_string_new(NULL);
	g_autoptr(GString) last = g_string_new(NULL);

	append_amount(last, fact_number(facts, fact_is_known(facts, end) ? end : start), true);
	append_amount(first, fact_number(facts, fact_is_known(facts, start) ? start : end), true);
	if (!g_string_equal(first, last)) {
		share_unit(first, last);
		g_string_append_printf(out, "%s -> ", first->str);
	}
	g_string_append(out, last->str);
}

static bool is_level_known(const Facts *facts, FactId start, FactId end)
{
	return fact_is_known(facts, start) || fact_is_known(facts, end);
}

/* Appends the separator between parts, which have been appended since start. */
static void append_separator(GString *out, gsize start)
{
	g_string_append(out, out->len > start ? ", " : "");
}

/* Appends "slab 310 MiB (190 unreclaimable)". */
static void append_slab(GString *out, const Facts *facts)
{
	g_autoptr(GString) slab = g_string_new(NULL);
	g_autoptr(GString) unreclaimable = g_string_new(NULL);

	append_level(slab, facts, FACT_SLAB_START, FACT_SLAB_END);
	g_string_append_printf(out, "slab %s", slab->str);
	if (!is_level_known(facts, FACT_SLAB_UNRECLAIMABLE_START, FACT_SLAB_UNRECLAIMABLE_END))
		return;
	append_level(unreclaimable, facts, FACT_SLAB_UNRECLAIMABLE_START,
		     FACT_SLAB_UNRECLAIMABLE_END);
	share_unit(unreclaimable, slab);
	g_string_append_printf(out, " (%s unreclaimable)", unreclaimable->str);
}

/* What happened in the run. */
static void append_changes(GString *out, gsize start, const Facts *facts)
{
	static const struct {
		FactId id;
		const char *name;
	} counters[] = {
		{ FACT_MAJOR_FAULTS, "major faults" },
		{ FACT_RECLAIM_STALLS, "reclaim stalls" },
		{ FACT_OOM_KILLS, "OOM kills" },
	};
	const Value *pressure = &facts->values[FACT_PRESSURE_SOME];

	if (pressure->known) {
		append_separator(out, start);
		g_string_append(out, "PSI some ");
		append_percent(out, pressure->number, pressure->other);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(counters); i++) {
		uint64_t change = fact_number(facts, counters[i].id);

		if (!fact_is_known(facts, counters[i].id))
			continue;
		append_separator(out, start);
		g_string_append_printf(out, "%s %s", counters[i].name, change ? "+" : "");
		append_count(out, change);
	}
}

void append_memory_state(GString *out, const Facts *facts)
{
	gsize start = out->len;

	if (is_level_known(facts, FACT_MEMORY_FREE_START, FACT_MEMORY_FREE_END)) {
		g_string_append(out, "free ");
		append_level(out, facts, FACT_MEMORY_FREE_START, FACT_MEMORY_FREE_END);
	}
	if (is_level_known(facts, FACT_SLAB_START, FACT_SLAB_END)) {
		append_separator(out, start);
		append_slab(out, facts);
	}
	append_changes(out, start, facts);
}

/* The heading says what the numbers are of, if that is not obvious. Several recordings have only
   changes. */
void append_memory_line(GString *out, const ReportModel *model)
{
	const Facts *facts = model->facts;
	const char *heading =
		fact_is_known(facts, FACT_PART_FROM) ? "Memory in the whole run" : "Memory";
	g_autoptr(GString) state = g_string_new(NULL);

	if (!model->source->shows_memory)
		return;
	if (fact_is_known(facts, FACT_MEMORY_FREE_START) &&
	    !fact_is_known(facts, FACT_MEMORY_FREE_END))
		heading = "Memory at the start";
	append_memory_state(state, facts);
	if (state->len)
		g_string_append_printf(out, "%s: %s\n", heading, state->str);
}

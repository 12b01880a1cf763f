/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lines about how slab caches grew, and what explains that. text_slabstack.c and page_plain.c
 * call it.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"

enum { LINES_MAX = 5 };

/* Returns what the numbers are from, and what they contain. The caller frees it. */
static char *source_of(const SlabGrowth *of, const SlabGrowthRow *growth)
{
	GString *source = g_string_new("/proc/slabinfo");
	uint64_t free_max = MIN(growth->sheaves, growth->end);

	g_string_append(source, of->of_whom ? ", whole host" : "");
	if (free_max) {
		g_string_append(source, ", up to ");
		append_count(source, free_max);
		g_string_append(source, " of them free in sheaves");
	}
	return g_string_free(source, FALSE);
}

/* Appends "in use 1,000 -> 1,250 (+250, +48,000 bytes, /proc/slabinfo)". */
static void append_use(GString *out, const SlabGrowth *of, const SlabGrowthRow *growth)
{
	g_autofree char *source = source_of(of, growth);
	bool grew = growth->end >= growth->start;

	g_string_append(out, "in use ");
	append_count(out, growth->start);
	g_string_append(out, " -> ");
	append_count(out, growth->end);
	if (growth->end == growth->start) {
		g_string_append_printf(out, " (unchanged, %s)", source);
		return;
	}
	g_string_append(out, grew ? " (+" : " (-");
	append_count(out, grew ? growth->end - growth->start : growth->start - growth->end);
	g_string_append(out, ", ");
	append_change(out, growth->bytes, of->human);
	g_string_append_printf(out, "%s, %s)", of->human ? "" : " bytes", source);
}

static void append_verdict(GString *out, const SlabGrowthRow *growth)
{
	uint64_t grown = growth->end > growth->start ? growth->end - growth->start : 0;

	if (!grown) {
		g_string_append(out, growth->traced.summary.allocations ? "; no net growth" : "");
	} else if (growth->unseen > growth->ready) {
		g_string_append(out, "; ");
		append_count(out, growth->unseen);
		g_string_append(out, " objects came from paths that no probe sees "
				     "(bulk allocation)");
	} else if (growth->unseen) {
		g_string_append(out, "; ");
		append_count(out, growth->unseen);
		g_string_append(out, " more may be free objects that CPUs hold ready");
	} else if (grown > growth->traced.summary.allocations) {
		g_string_append(out, "; it grew by ");
		append_count(out, grown - growth->traced.summary.allocations);
		g_string_append(out, " more");
	} else {
		g_string_append(out, "; net growth is ");
		append_percent(out, grown, growth->traced.summary.allocations);
		g_string_append(out, " of them");
	}
}

/* Appends "25,000 allocations traced; net growth is 1 % of them". */
static void append_traced(GString *out, const SlabGrowth *of, const SlabGrowthRow *growth)
{
	uint64_t traced = growth->traced.summary.allocations;

	g_string_append(out, of->sampled ? "about " : "");
	append_count(out, traced);
	g_string_append(out, traced == 1 ? " allocation traced" : " allocations traced");
	append_sampled(out, &growth->traced);
	if (!growth->is_recorded)
		g_string_append(out, ", as not all were recorded");
	else if (growth->is_of_part)
		g_string_append(out, " in the part that was asked for");
	else if (of->of_whom)
		g_string_append_printf(out, ", %s alone, freed or not", of->of_whom);
	else if (growth->is_known)
		append_verdict(out, growth);
}

/* A cache may hold more than it grew by: it also frees objects that are older than the run, and
   those that CPUs held ready may have counted as in use before they were allocated. */
static void append_held_of_growth(GString *out, const SlabGrowthRow *growth)
{
	uint64_t held = growth->traced.summary.allocations;
	uint64_t grown = growth->end > growth->start ? growth->end - growth->start : 0;

	if (held > grown) {
		g_string_append(out, grown ? ": more than the growth" : ": without net growth");
		g_string_append(out, ", as older objects were freed, or objects that CPUs held "
				     "ready were used");
		return;
	}
	if (!grown)
		return;
	g_string_append(out, ": ");
	append_percent(out, held, grown);
	g_string_append(out, " of the growth, which includes objects that CPUs hold ready");
}

/* Appends "10,190 held of 350,733 allocated: 99 % of the growth". */
static void append_held(GString *out, const SlabGrowth *of, const SlabGrowthRow *growth)
{
	uint64_t held = growth->traced.summary.allocations;

	if (growth->is_contradicted) {
		g_string_append(out, "how many are held is not known: not all frees are seen");
		return;
	}
	g_string_append(out, of->sampled ? "about " : "");
	append_count(out, held);
	append_sampled(out, &growth->traced);
	g_string_append(out, of->frees_unseen ? " not seen freed of " : " held of ");
	append_count(out, growth->traced.held.allocated);
	g_string_append(out, " allocated");
	if (!of->frees_unseen && !of->of_whom && growth->is_recorded && !growth->is_of_part &&
	    growth->is_known)
		append_held_of_growth(out, growth);
}

static void append_name(GString *out, const SlabGrowthRow *growth)
{
	if (!growth->name) {
		g_string_append(out, "all of these caches");
		return;
	}
	escape_append(out, growth->name);
	if (!growth->alias)
		return;
	g_string_append(out, " (");
	escape_append(out, growth->alias);
	g_string_append_c(out, ')');
}

static void append_line(GString *out, const SlabGrowth *of, const SlabGrowthRow *growth)
{
	const SlabSpan *span = &of->span;

	append_name(out, growth);
	g_string_append(out, ": ");
	if (growth->is_known)
		append_use(out, of, growth);
	else
		g_string_append(out, "in use: not known, /proc/slabinfo does not say");
	if (span->span_ns && growth->is_known) {
		g_string_append(out, " in ");
		append_seconds(out, span->span_ns);
	}
	g_string_append(out, "; ");
	if (of->is_held)
		append_held(out, of, growth);
	else
		append_traced(out, of, growth);
	g_string_append_c(out, '\n');
}

void append_growth_lines(GString *out, const SlabGrowth *growth)
{
	SlabGrowthRow sum;
	g_autoptr(GArray) rows = slab_growth_rows(growth, &sum);

	for (guint i = 0; i < MIN(rows->len, LINES_MAX); i++)
		append_line(out, growth, &g_array_index(rows, SlabGrowthRow, i));
	if (rows->len > LINES_MAX)
		g_string_append_printf(out, "%u more %s\n", rows->len - LINES_MAX,
				       rows->len - LINES_MAX == 1 ? "cache" : "caches");
	if (rows->len > 1)
		append_line(out, growth, &sum);
}

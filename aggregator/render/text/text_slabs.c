/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Slab caches and memory of the host as text: lines about how caches grew and what explains that,
 * the overview of all caches with the use of memory above, and the line "Memory:" with its levels
 * at both ends of the run and what changed. The layouts, text_info.c and page_plain.c call it.
 */
#include "render/text/render_text.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "names/cgroup_names.h"

#include <math.h>
#include <string.h>

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

static void append_growth_explained(GString *out, const SlabGrowthRow *growth)
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
		append_growth_explained(out, growth);
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
		append_elapsed(out, span->span_ns);
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
	append_most_growth(out, growth, LINES_MAX);
}

void append_most_growth(GString *out, const SlabGrowth *growth, guint lines_max)
{
	SlabGrowthRow sum;
	g_autoptr(GArray) rows = slab_growth_rows(growth, &sum);

	for (guint i = 0; i < MIN(rows->len, lines_max); i++)
		append_line(out, growth, &g_array_index(rows, SlabGrowthRow, i));
	if (rows->len > lines_max)
		g_string_append_printf(out, "%u more %s\n", rows->len - lines_max,
				       rows->len - lines_max == 1 ? "cache" : "caches");
	if (rows->len > 1)
		append_line(out, growth, &sum);
}

/* Appends " (+1.2 MiB/s)" if a number of bytes changed. */
static void append_rate(GString *out, const MemorySpan *span, uint64_t start, uint64_t end)
{
	double change = (double)end - (double)start;

	if (change == 0 || !span->span_ns)
		return;
	g_string_append(out, " (");
	append_change(out, change * NS_PER_SECOND / (double)span->span_ns, true);
	g_string_append(out, "/s)");
}

/* Appends ", available 22.9 GiB (+12.7 MiB/s)". */
static void append_available(GString *out, const MemorySpan *memory)
{
	uint64_t bytes = memory->end.numbers[HOST_MEMORY_AVAILABLE];

	if (!memory->end.known[HOST_MEMORY_AVAILABLE])
		return;
	g_string_append(out, ", available ");
	append_amount(out, bytes, true);
	if (memory->start.known[HOST_MEMORY_AVAILABLE])
		append_rate(out, memory, memory->start.numbers[HOST_MEMORY_AVAILABLE], bytes);
}

/* Appends what is not in MemTotal: ", in a balloon 300 MiB (+30 MiB/s), reserved at boot 482
   MiB". */
static void append_others(GString *out, const MemorySpan *memory)
{
	const uint64_t *numbers = memory->end.numbers;
	uint64_t balloon = host_state_balloon_outside_total(&memory->end);
	uint64_t others = numbers[HOST_RAM] - MIN(numbers[HOST_MEMORY_TOTAL], numbers[HOST_RAM]);

	if (balloon) {
		g_string_append(out, ", in a balloon ");
		append_amount(out, balloon, true);
		if (memory->start.known[HOST_BALLOON])
			append_rate(out, memory, host_state_balloon_outside_total(&memory->start),
				    balloon);
	}
	if (others > balloon) {
		g_string_append(out, ", reserved at boot ");
		append_amount(out, others - balloon, true);
	}
}

/* Appends "Memory 23.5 GiB, available 22.9 GiB (+12.7 MiB/s), reserved at boot 482 MiB", then the
   balance; nothing if it is not known. */
static void append_balance(GString *out, const SlabTable *slabs)
{
	g_autoptr(Table) balance = balance_table_new(slabs, TABLE_TEXT);
	const TextLayout layout = { .gap = 2, .human = true };

	if (!balance->count)
		return;
	g_string_append(out, "Memory ");
	append_amount(out, slabs->memory.end.numbers[HOST_MEMORY_TOTAL], true);
	append_available(out, &slabs->memory);
	append_others(out, &slabs->memory);
	g_string_append(out, "\n\n");
	append_table(out, balance, &layout);
	g_string_append_c(out, '\n');
}

/* Appends the titles and rows of one kind of caches; nothing if there are none. */
static void append_slab_rows(GString *out, const SlabTable *slabs, Table *table, const char *title)
{
	const TextLayout layout = {
		.gap = 2, .columns = slabs->terminal.columns, .human = slabs->human, .trims = true
	};

	if (!table->count && !table->more)
		return;
	g_array_index(table->columns, TableColumn, 0).title = title;
	append_table(out, table, &layout);
	if (table->more)
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " more (--all)\n", table->more);
	g_string_append_c(out, '\n');
}

/* Appends "Reclaimable caches: 1.1 GiB; most growth: dentry +267 KiB/s (--all)". */
static void append_reclaimable_line(GString *out, const SlabTable *slabs, const SlabTableRow *most)
{
	g_string_append(out, "Reclaimable caches: ");
	append_amount(out, slabs->memory.end.numbers[HOST_SLAB_RECLAIMABLE], true);
	if (most) {
		g_string_append(out, "; most growth: ");
		escape_append(out, most->name);
		g_string_append_c(out, ' ');
		append_change(out, most->change_bytes, true);
		g_string_append(out, "/s");
	}
	g_string_append(out, " (--all)\n");
}

/* Appends a part of a line that begins at start, unless the line would not fit the terminal. */
static void append_if_fits(GString *out, gsize start, const SlabTable *slabs, const GString *part)
{
	glong width = g_utf8_strlen(out->str + start, -1) + g_utf8_strlen(part->str, -1);

	if (!slabs->terminal.columns || width <= (glong)slabs->terminal.columns)
		g_string_append_len(out, part->str, (gssize)part->len);
}

/* Names of units may have 255 bytes. */
static void append_cgroup(GString *out, const SlabTable *slabs, const char *path)
{
	enum { NAME_COLUMNS = 24 };
	gsize start = out->len;
	char *end;

	cgroup_label_append(out, path, false);
	if (!slabs->terminal.columns || g_utf8_strlen(out->str + start, -1) <= NAME_COLUMNS)
		return;
	end = g_utf8_offset_to_pointer(out->str + start, NAME_COLUMNS - 3);
	g_string_truncate(out, (gsize)(end - out->str));
	g_string_append(out, "...");
}

/* Appends "; most growth: docker:1a2b3c4d5e6f +1.2 MiB/s" if the table of cgroups is not shown. */
static void append_grown_cgroup(GString *part, const SlabTable *slabs, Table *cgroups)
{
	const CgroupRow *row = (const CgroupRow *)(const void *)cgroups->rows->data;

	if (cgroups->count || !cgroups->rows->len || !row->has_grown)
		return;
	g_string_append(part, "; most growth: ");
	append_cgroup(part, slabs, row->cgroup->path);
	g_string_append_c(part, ' ');
	append_change(part, row->change_bytes, true);
	g_string_append(part, "/s");
}

/* Appends ", dying 4,812 (+12/s)". */
static void append_dying(GString *part, const CgroupSpan *span)
{
	const CgroupTotals *start = &span->start->totals, *end = &span->end->totals;
	double seconds = (double)span->span_ns / NS_PER_SECOND;
	double change = (double)end->dying - (double)start->dying;

	if (!end->is_dying_known)
		return;
	g_string_append(part, ", dying ");
	append_count(part, end->dying);
	if (!start->is_dying_known || change == 0 || !span->span_ns)
		return;
	g_string_append(part, change > 0 ? " (+" : " (-");
	append_real(part, fabs(change) / seconds);
	g_string_append(part, "/s)");
}

/* Appends "Cgroups: 43, dying 4,812 (+12/s), most below system.slice". */
static void append_cgroup_line(GString *out, const SlabTable *slabs, Table *cgroups)
{
	const CgroupSpan *span = &slabs->cgroups;
	g_autoptr(GString) part = g_string_new("Cgroups: ");
	const char *most = span->end ? cgroup_of_most_dying(span->end) : NULL;
	gsize start = out->len;

	if (!span->end)
		return;
	if (span->end->totals.is_visible_known)
		append_count(part, span->end->totals.visible);
	else
		g_string_append(part, "not all counted");
	append_dying(part, span);
	if (span->end->totals.unread) {
		g_string_append(part, ", not read ");
		append_count(part, span->end->totals.unread);
	}
	append_if_fits(out, start, slabs, part);
	g_string_truncate(part, 0);
	if (most && most[1]) {
		g_string_append(part, ", most below ");
		append_cgroup(part, slabs, most);
	}
	append_if_fits(out, start, slabs, part);
	g_string_truncate(part, 0);
	append_grown_cgroup(part, slabs, cgroups);
	append_if_fits(out, start, slabs, part);
	g_string_append(out, slabs->terminal.lines ? "\n" : "\n\n");
}

static guint lines_of(const GString *text)
{
	guint lines = 0;

	for (const char *end = text->str; (end = strchr(end, '\n')); end++)
		lines++;
	return lines;
}

enum { CACHES_MIN = 3, CACHES_MAX = 10 };

/* Returns how many lines a terminal has for rows, with what stands above and below them: a line of
   -d, the titles, what is left out, a line about cgroups, a prompt, blank ones. */
static guint lines_left(const SlabTable *slabs, const GString *above)
{
	enum { OTHER_LINES = 7 };
	guint used = OTHER_LINES + lines_of(above) + (slabs->cgroups.end ? 1 : 0);

	return slabs->terminal.lines - MIN(slabs->terminal.lines, used);
}

/* Chooses the rows of cgroups: those that grew; of an idle host in a file, the largest few. */
static void choose_cgroups(Table *cgroups, const SlabTable *slabs, guint lines)
{
	enum { FEW = 5, FEW_ON_TERMINAL = 3, TITLES_AND_BLANK = 2 };
	const guint room = lines - MIN(lines, CACHES_MIN + TITLES_AND_BLANK);
	guint grown = 0;

	while (grown < cgroups->rows->len &&
	       g_array_index(cgroups->rows, CgroupRow, grown).has_grown)
		grown++;
	if (slabs->terminal.lines)
		cgroups->count = MIN(grown, MIN(FEW_ON_TERMINAL, room));
	else if (slabs->rows_max == SLAB_TABLE_ROWS)
		table_cut(cgroups, CLAMP(grown, FEW, SLAB_TABLE_ROWS));
	else
		table_cut(cgroups, slabs->rows_max);
}

static guint rows_that_fit(guint lines, const Table *cgroups)
{
	guint others = cgroups->count ? cgroups->count + 2 : 0;

	return CLAMP(lines - MIN(lines, others), CACHES_MIN, CACHES_MAX);
}

static void append_span(GString *out, const HistoryTime *from, const HistoryTime *to)
{
	g_string_append(out, " from ");
	append_time(out, from->realtime_ns);
	g_string_append(out, " to ");
	append_time(out, to->realtime_ns);
}

void append_watch_line(GString *out, const WatchSpan *watch)
{
	if (!watch->readings)
		return;
	g_string_append(out, "Watch: ");
	append_count(out, watch->readings);
	g_string_append(out, watch->readings == 1 ? " reading" : " readings");
	append_span(out, &watch->first, &watch->last);
	if (watch->last.boot)
		g_string_append_printf(out, ", %u boots", watch->last.boot + 1);
	if (watch->from.at_ns != watch->first.at_ns || watch->to.at_ns != watch->last.at_ns) {
		g_string_append(out, "; changes are");
		append_span(out, &watch->from, &watch->to);
	}
	g_string_append(out, "\n\n");
}

void append_slab_table(GString *out, const SlabTable *slabs, const Verdict *verdict)
{
	g_autoptr(Table) kept = table_new(slabs, NULL), reclaimable = table_new(slabs, NULL);
	g_autoptr(GString) balance = g_string_new(NULL);
	g_autoptr(Table) cgroups = cgroup_table_new(slabs, TABLE_TEXT);
	SlabTable shown = *slabs;
	guint lines;
	SlabTableRow most;
	bool has_most = slab_table_grown_most(slabs, true, &most);

	append_verdict(balance, verdict, slabs->terminal.columns);
	shown.terminal.lines -= MIN(slabs->terminal.lines, lines_of(balance));
	append_balance(balance, &shown);
	lines = lines_left(slabs, balance);
	choose_cgroups(cgroups, slabs, lines);
	if (slabs->terminal.lines)
		shown.rows_max = rows_that_fit(lines, cgroups);
	slab_table_add(kept, &shown, SLABS_KEPT, TABLE_TEXT);
	g_string_append_len(out, balance->str, (gssize)balance->len);
	append_slab_rows(out, slabs, kept, "CACHE");
	if (slabs->terminal.lines) {
		append_slab_rows(out, slabs, cgroups, "CGROUP");
		append_reclaimable_line(out, slabs, has_most ? &most : NULL);
		append_cgroup_line(out, slabs, cgroups);
	} else {
		slab_table_add(reclaimable, &shown, SLABS_RECLAIMABLE, TABLE_TEXT);
		append_slab_rows(out, slabs, reclaimable, "RECLAIMABLE CACHE");
		append_slab_rows(out, slabs, cgroups, "CGROUP");
		append_cgroup_line(out, slabs, cgroups);
	}
}

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

/* What happened in the run. all: also what did not. */
static void append_changes(GString *out, gsize start, const Facts *facts, bool all)
{
	static const struct {
		FactId id;
		const char *name;
	} counters[] = {
		{ FACT_MAJOR_FAULTS, "major faults" },
		{ FACT_RECLAIM_STALLS, "host reclaim stalls" },
		{ FACT_OOM_KILLS, "OOM kills" },
	};
	const Value *pressure = &facts->values[FACT_PRESSURE_SOME];

	if (pressure->known && (all || pressure->number)) {
		append_separator(out, start);
		g_string_append(out, "PSI some ");
		append_percent(out, pressure->number, pressure->other);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(counters); i++) {
		uint64_t change = fact_number(facts, counters[i].id);

		if (!fact_is_known(facts, counters[i].id) || !(all || change))
			continue;
		append_separator(out, start);
		g_string_append_printf(out, "%s %s", counters[i].name, change ? "+" : "");
		append_count(out, change);
	}
}

static void append_memory(GString *out, const Facts *facts, bool all)
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
	append_changes(out, start, facts, all);
}

void append_memory_state(GString *out, const Facts *facts)
{
	append_memory(out, facts, true);
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
	append_memory(state, facts, !model->source->fits);
	if (state->len)
		g_string_append_printf(out, "%s: %s\n", heading, state->str);
}

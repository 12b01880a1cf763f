/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdicts of readings without pairs of allocations and frees: that of the overview (which
 * cache, or which other part of memory, grew most), and that of the caches that were asked for.
 * Two readings cannot tell a leak from a burst, so they name what grew, but suspect nobody, unless
 * most memory is already gone.
 */
#include "report/verdict.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number_text.h"
#include "base/saturate.h"
#include "table/task_name.h"

#include <math.h>
#include <string.h>

/* The thresholds; slabstack(8) lists them. Those of growth itself are noise: what CPUs hold
   ready (slab_table_noise(), slab_table_grown_most()). */
enum {
	/* A reclaimable cache is named only if it grows so much faster than all others. */
	FASTER = 10,
	/* So many percent of all memory in one cache, or in no counter, are worth a look, even if
	   they do not grow. */
	FILLED_PERCENT_MIN = 10,
	DYING_MIN = 50, /* cgroups more than at the start */
};

static double grown_bytes(const SlabTableRow *row, const VerdictEvidence *evidence)
{
	return row->change_bytes * (double)evidence->span_ns / NS_PER_SECOND;
}

/* Appends "+1.4 MiB in 10.000 s". */
static void append_growth(GString *out, double bytes, const VerdictEvidence *evidence)
{
	append_change(out, bytes, true);
	g_string_append(out, " in ");
	append_elapsed(out, evidence->span_ns);
}

static bool is_outside(const VerdictEvidence *evidence)
{
	return evidence->slabs.outside_bytes > 0;
}

static const VerdictPart kernel_parts[] = {
	{ "in_no_counter", "page", "sockets, pipes, drivers or modules" },
	{ "vmalloc", "vmalloc", "BPF, modules or file systems" },
	{ "per_cpu", "percpu", "BPF, cgroups or network devices" },
	{ "other_reclaimable", "page", "drivers or modules" },
};

static void say_outside(GString *out, const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;

	g_string_append(out, "memory went to pages outside of slab caches: ");
	append_growth(out, (double)slabs->outside_bytes, evidence);
	if (slabs->outside_growth > 0) {
		g_string_append_printf(out, ", most of it to \"%s\" (", slabs->outside_title);
		append_change(out, slabs->outside_growth, true);
		g_string_append_c(out, ')');
	}
	g_string_append_printf(out, ". Such pages are of %s.", slabs->outside->of);
}

static void next_outside(GString *out, const VerdictEvidence *evidence)
{
	g_string_append_printf(out, "kmalloc-top --held --events=%s -d 10",
			       evidence->slabs.outside->events);
}

/* Cgroups that were removed, but not freed. */
static bool are_cgroups(const VerdictEvidence *evidence)
{
	return evidence->slabs.dying_more >= DYING_MIN;
}

static void say_cgroups(GString *out, const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;

	append_count(out, slabs->dying_more);
	g_string_append(out, " more cgroups were removed, but not freed, in ");
	append_elapsed(out, evidence->span_ns);
	g_string_append(out, "; now ");
	append_count(out, slabs->dying);
	g_string_append(out, " are dying");
	if (slabs->dying_below) {
		g_string_append(out, ", most of them below ");
		cgroup_label_append(out, slabs->dying_below, false);
	}
	g_string_append(out,
			". Memory that they own is still in use: files in the page cache or tmpfs, "
			"or objects of the kernel.");
}

static bool is_cache(const VerdictEvidence *evidence)
{
	const SlabTableRow *kept = &evidence->slabs.kept;
	const SlabTableRow *reclaimable = &evidence->slabs.reclaimable;

	return kept->name &&
	       (!reclaimable->name || reclaimable->change_bytes <= FASTER * kept->change_bytes);
}

/* So much that nothing which was there before matters more. */
static bool is_cache_by_far(const VerdictEvidence *evidence)
{
	return is_cache(evidence) &&
	       grown_bytes(&evidence->slabs.kept, evidence) > (double)evidence->slabs.noise_bytes;
}

static void append_cache(GString *out, const SlabTableRow *row)
{
	cache_label_append(out, row->name, row->names, NULL);
}

static void say_cache(GString *out, const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;
	double grown = grown_bytes(&slabs->kept, evidence);

	append_cache(out, &slabs->kept);
	g_string_append(out, " grew most of what the kernel cannot shrink: ");
	append_growth(out, grown, evidence);
	if (slabs->kept_growth >= grown) {
		g_string_append(out, ", ");
		append_percent(out, saturate_double(grown), saturate_double(slabs->kept_growth));
		g_string_append(out, " of the growth of these caches");
	}
	g_string_append(out, ". The next command shows whether it is kept, and by whom.");
}

static void next_cache(GString *out, const VerdictEvidence *evidence)
{
	verdict_append_held_command(out, evidence->slabs.kept.name);
}

static bool is_reclaimable(const VerdictEvidence *evidence)
{
	return evidence->slabs.reclaimable.name != NULL;
}

static void say_reclaimable(GString *out, const VerdictEvidence *evidence)
{
	const SlabTableRow *row = &evidence->slabs.reclaimable;

	g_string_append(out, "no suspect. ");
	append_cache(out, row);
	g_string_append(out, " grew most (");
	append_growth(out, grown_bytes(row, evidence), evidence);
	g_string_append(out, "), and the kernel shrinks it when it needs memory.");
}

static void next_reclaimable(GString *out, const VerdictEvidence *evidence)
{
	verdict_append_held_command(out, evidence->slabs.reclaimable.name);
}

/* More than what all caches took that the kernel cannot shrink. */
static bool is_balloon(const VerdictEvidence *evidence)
{
	return evidence->slabs.balloon_growth > evidence->slabs.kept_growth;
}

static void say_balloon(GString *out, const VerdictEvidence *evidence)
{
	g_string_append(out, "no suspect in the kernel. The hypervisor took memory back, by a "
			     "balloon: ");
	append_growth(out, evidence->slabs.balloon_growth, evidence);
	g_string_append_c(out, '.');
}

static bool is_part(const VerdictEvidence *evidence)
{
	return evidence->slabs.part.title != NULL;
}

static void say_part(GString *out, const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;

	g_string_append_printf(
		out, "no suspect in the kernel. What grew is \"%s\": ", slabs->part.title);
	append_growth(out, slabs->part_growth, evidence);
	g_string_append_c(out, '.');
}

static bool is_largest(const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;

	return slabs->largest.name && slabs->total_bytes &&
	       g_strcmp0(slabs->largest.name, slabs->kept.name) != 0 &&
	       slabs->largest.slab_bytes >= slabs->total_bytes / 100 * FILLED_PERCENT_MIN;
}

/* Memory that was gone before anybody looked. */
static void say_largest(GString *out, const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;

	append_cache(out, &slabs->largest);
	g_string_append(out, " has ");
	append_amount(out, slabs->largest.slab_bytes, true);
	g_string_append(out, ", ");
	append_percent(out, slabs->largest.slab_bytes, slabs->total_bytes);
	g_string_append(out,
			" of all memory, and the kernel cannot shrink it. It did not grow in ");
	append_elapsed(out, evidence->span_ns);
	g_string_append(out, ": it was filled before.");
}

static void next_largest(GString *out, const VerdictEvidence *evidence)
{
	verdict_append_held_command(out, evidence->slabs.largest.name);
}

static bool is_uncounted(const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;

	return slabs->total_bytes &&
	       slabs->uncounted_bytes >= slabs->total_bytes / 100 * FILLED_PERCENT_MIN;
}

static void say_uncounted(GString *out, const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;

	append_amount(out, slabs->uncounted_bytes, true);
	g_string_append(out, ", ");
	append_percent(out, slabs->uncounted_bytes, slabs->total_bytes);
	g_string_append(out, " of all memory, is in no counter: pages that sockets, pipes, "
			     "drivers or modules allocated before.");
}

static void say_quiet(GString *out, const VerdictEvidence *evidence)
{
	g_string_append(out, "no suspect. Nothing grew by more than what CPUs hold ready, in ");
	append_elapsed(out, evidence->span_ns);
	g_string_append_c(out, '.');
}

static const VerdictRule overview_rules[] = {
	{ "pages_grew", false, is_outside, say_outside, next_outside, NULL },
	{ "cgroups_stay", false, are_cgroups, say_cgroups, NULL,
	  "kmalloc-top --held -d 30 --by=process,cache" },
	{ "balloon", false, is_balloon, say_balloon, NULL, NULL },
	{ "cache_grew", false, is_cache_by_far, say_cache, next_cache, NULL },
	{ "filled_before", true, is_largest, say_largest, next_largest, NULL },
	{ "uncounted_before", true, is_uncounted, say_uncounted, NULL,
	  "kmalloc-top --held --events=page -d 10" },
	{ "cache_grew", false, is_cache, say_cache, next_cache, NULL },
	{ "reclaimable", false, is_reclaimable, say_reclaimable, next_reclaimable, NULL },
	{ "programs", false, is_part, say_part, NULL, NULL },
	{ "quiet", false, NULL, say_quiet, NULL, "slabstack -d 60" },
};

/* Finds the cache that has most memory, and how much all that the kernel cannot shrink grew. */
static void add_caches(VerdictSlabs *slabs, const SlabTable *table)
{
	SlabTable all = *table;
	g_autoptr(Table) rows = table_new(&all, NULL);

	all.rows_max = UINT32_MAX;
	all.order = NULL;
	slab_table_add(rows, &all, SLABS_KEPT, TABLE_JSON);
	for (guint i = 0; i < rows->count; i++) {
		const SlabTableRow *row = &g_array_index(rows->rows, SlabTableRow, i);

		slabs->kept_growth +=
			fmax(row->change_bytes, 0) * (double)table->span.span_ns / NS_PER_SECOND;
		if (!slabs->largest.name || row->slab_bytes > slabs->largest.slab_bytes)
			slabs->largest = *row;
	}
}

/* Notes the part if it is outside of slab caches, and grew more than the others. */
static void add_outside(VerdictSlabs *slabs, const BalanceRow *row, double grown)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kernel_parts); i++) {
		if (!g_str_equal(row->part, kernel_parts[i].part) || grown <= slabs->outside_growth)
			continue;
		slabs->outside = &kernel_parts[i];
		slabs->outside_title = row->title;
		slabs->outside_growth = grown;
	}
}

static void add_parts(VerdictSlabs *slabs, const SlabTable *table)
{
	g_autoptr(Table) balance = balance_table_new(table, TABLE_JSON);

	for (guint i = 0; i < balance->count; i++) {
		const BalanceRow *row = &g_array_index(balance->rows, BalanceRow, i);
		double grown = (double)row->bytes - (double)row->start;

		if (g_str_equal(row->part, "in_no_counter"))
			slabs->uncounted_bytes = row->bytes;
		add_outside(slabs, row, grown);
		if (!row->has_change || g_str_equal(row->part, "free") ||
		    grown <= (double)slabs->noise_bytes || grown <= slabs->part_growth)
			continue;
		slabs->part = *row;
		slabs->part_growth = grown;
	}
}

/* Only some drivers leave the pages in MemTotal, where they are a part. */
static void add_balloon(VerdictSlabs *slabs, const MemorySpan *memory)
{
	double grown = (double)memory->end.numbers[HOST_BALLOON] -
		       (double)memory->start.numbers[HOST_BALLOON];

	if (memory->start.known[HOST_BALLOON] && grown > (double)slabs->noise_bytes)
		slabs->balloon_growth = grown;
}

static void add_cgroups(VerdictSlabs *slabs, const CgroupSpan *span)
{
	const CgroupReading *start = span->start, *end = span->end;

	if (!start || !end || !start->totals.is_dying_known || !end->totals.is_dying_known)
		return;
	slabs->dying = end->totals.dying;
	slabs->dying_more = slabs->dying - MIN(start->totals.dying, slabs->dying);
	slabs->dying_below = cgroup_of_most_dying(end);
	if (slabs->dying_below && !slabs->dying_below[1])
		slabs->dying_below = NULL;
}

Verdict *verdict_of_slabs(const SlabTable *table)
{
	VerdictEvidence evidence = { .span_ns = table->span.span_ns };
	VerdictSlabs *slabs = &evidence.slabs;

	slabs->outside = kernel_parts;
	slabs->noise_bytes = slab_table_noise(table);
	slabs->outside_bytes = slab_table_taken_outside(table);
	slabs->total_bytes = table->memory.end.numbers[HOST_MEMORY_TOTAL];
	if (!slab_table_grown_most(table, false, &slabs->kept))
		slabs->kept.name = NULL;
	if (!slab_table_grown_most(table, true, &slabs->reclaimable))
		slabs->reclaimable.name = NULL;
	add_caches(slabs, table);
	add_parts(slabs, table);
	add_balloon(slabs, &table->memory);
	add_cgroups(slabs, &table->cgroups);
	return verdict_judge(overview_rules, &evidence);
}

/* Rules of the caches that were asked for. */

static bool is_unknown(const VerdictEvidence *evidence)
{
	return !evidence->slabs.asked->is_known;
}

static void say_unknown(GString *out, const VerdictEvidence *evidence)
{
	(void)evidence;
	g_string_append(out, "none. How many objects are in use is not known; --held tells who "
			     "keeps objects.");
}

static uint64_t grown_objects(const SlabGrowthRow *row)
{
	return row->end - MIN(row->start, row->end);
}

static bool has_grown(const VerdictEvidence *evidence)
{
	const SlabGrowthRow *row = evidence->slabs.asked;

	return grown_objects(row) > row->ready;
}

static void append_asked(GString *out, const SlabGrowthRow *row)
{
	if (row->name)
		escape_append(out, row->name);
	else
		g_string_append(out, "these caches");
}

static void say_grown(GString *out, const VerdictEvidence *evidence)
{
	const VerdictSlabs *slabs = &evidence->slabs;
	uint64_t allocations = slabs->asked->traced.summary.allocations;

	append_asked(out, slabs->asked);
	g_string_append(out, " grew by ");
	append_count(out, grown_objects(slabs->asked));
	g_string_append(out, " objects. ");
	if (slabs->allocator) {
		g_string_append_printf(out, "%s allocated most (", slabs->allocator);
		append_percent(out, slabs->allocator_events, allocations);
		g_string_append(out, "); ");
	}
	g_string_append(out, slabs->allocator ? "the next command shows who keeps objects."
					      : "The next command shows who keeps objects.");
}

static void next_asked(GString *out, const VerdictEvidence *evidence)
{
	const char *name = evidence->slabs.asked->name;

	if (name)
		verdict_append_held_command(out, name);
}

static void say_turns_over(GString *out, const VerdictEvidence *evidence)
{
	const SlabGrowthRow *row = evidence->slabs.asked;

	g_string_append(out, "no suspect. ");
	append_asked(out, row);
	g_string_append(out, row->end > row->start ? " grew by " : " did not grow");
	if (row->end > row->start) {
		append_count(out, grown_objects(row));
		g_string_append(out, " objects, no more than CPUs may hold ready");
	}
	g_string_append(out, ", with ");
	append_count(out, row->traced.summary.allocations);
	g_string_append(out, " allocations.");
}

static const VerdictRule growth_rules[] = {
	{ "unknown", false, is_unknown, say_unknown, NULL, NULL },
	{ "cache_grew", false, has_grown, say_grown, next_asked, NULL },
	{ "turns_over", false, NULL, say_turns_over, NULL, "slabstack -d 10" },
};

Verdict *verdict_of_growth(const SlabGrowth *growth, const GArray *processes)
{
	SlabGrowthRow sum;
	g_autoptr(GArray) rows = slab_growth_rows(growth, &sum);
	g_autoptr(GString) allocator = g_string_new(NULL);
	VerdictEvidence evidence = { .span_ns = growth->span.span_ns };
	VerdictSlabs *slabs = &evidence.slabs;

	slabs->asked = rows->len ? &g_array_index(rows, SlabGrowthRow, 0) : &sum;
	if (processes->len && rows->len == 1) {
		const ViewProcess *most = &g_array_index(processes, ViewProcess, 0);

		if (most->context != KMT_CONTEXT_TASK)
			g_string_append_printf(allocator, "[%s]", context_name(most->context));
		else
			escape_append(allocator, most->comm);
		slabs->allocator = allocator->str;
		slabs->allocator_events = most->allocations;
	}
	return verdict_judge(growth_rules, &evidence);
}

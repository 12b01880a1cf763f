/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/slab_growth.h"

#include "escape.h"
#include "names/kmalloc_class.h"
#include "number_text.h"
#include "report/render_text.h"
#include "saturate.h"

#include <string.h>

enum { LINES_MAX = 5 };

static void traced_add_cell(SlabTraced *traced, const ProfileCell *cell,
			    const ProfileOrigin *origin, uint64_t scatter_percent)
{
	saturate_add(&traced->allocations, cell->events);
	variance_add_cell(&traced->variance, cell, origin, scatter_percent);
}

GArray *slab_growth_traced(const View *view, const CacheQuery *query)
{
	const ViewSource *source = view_source(view);
	const Profile *profile = source->profile;
	GArray *traced = g_array_new(FALSE, TRUE, sizeof(SlabTraced));

	g_array_set_size(traced, cache_query_matched(query)->len);
	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);
		const char *name = cache_names_of(source->caches, origin).name;
		int index = name && view_counts_cell(view, i) ? cache_query_index(query, name) : -1;

		if (index >= 0)
			traced_add_cell(&g_array_index(traced, SlabTraced, index), cell, origin,
					source->scatter_percent);
	}
	return traced;
}

bool slab_growth_any(const Profile *profile, CacheNames *names, CacheOrigin how)
{
	for (uint32_t i = 0; i < profile_cell_count(profile); i++) {
		const ProfileCell *cell = profile_cell(profile, i);
		const ProfileOrigin *origin = profile_origin(profile, cell->origin);

		if (cell->events && !origin->free && cache_names_of(names, origin).origin == how)
			return true;
	}
	return false;
}

/* A CPU may hold a slab of its own and some half-used ones, whose free objects count as in use. */
static uint64_t objects_ready(const SlabGrowth *growth, const SlabinfoCache *cache)
{
	enum { SLABS_OF_A_CPU = 8 };

	return cache->objects_of_a_slab * SLABS_OF_A_CPU * MAX(growth->cpus, 1);
}

/* Whether nothing that was traced can be of this cache and was taken for another's. */
static bool has_all_traced(const SlabGrowth *growth, const char *name)
{
	KmallocClass class;

	return growth->all_traced && !(growth->some_by_size && kmalloc_class_parse(name, &class));
}

static SlabGrowthRow row_of(const SlabGrowth *growth, guint index)
{
	const char *name = g_ptr_array_index(cache_query_matched(growth->query), index);
	const SlabinfoCache *start = slabinfo_find(growth->span.start, name);
	const SlabinfoCache *end = slabinfo_find(growth->span.end, name);
	const SlabinfoCache *any = end ? end : start;
	SlabGrowthRow result = {
		.name = name,
		.alias = cache_query_alias(growth->query, index),
		.start = start ? start->objects_in_use : 0,
		.end = end ? end->objects_in_use : 0,
		.traced = g_array_index(growth->traced, SlabTraced, index),
		.is_known = any && slabinfo_count(growth->span.start) &&
			    slabinfo_count(growth->span.end),
		.is_recorded = !growth->recorded ||
			       g_strv_contains((const char *const *)growth->recorded, name),
		.is_of_part = growth->of_part,
	};

	if (!result.is_known)
		return result;
	result.bytes = ((double)result.end - (double)result.start) * (double)any->object_bytes;
	result.ready = objects_ready(growth, any);
	if (has_all_traced(growth, name) && result.is_recorded &&
	    result.end > result.start + result.traced.allocations)
		result.unseen = result.end - result.start - result.traced.allocations;
	return result;
}

static void add(SlabGrowthRow *sum, const SlabGrowthRow *added)
{
	sum->start += added->start;
	sum->end += added->end;
	sum->bytes += added->bytes;
	saturate_add(&sum->traced.allocations, added->traced.allocations);
	variance_add(&sum->traced.variance, &added->traced.variance);
	sum->is_known |= added->is_known;
	sum->is_recorded &= added->is_recorded;
	/* What one has too little does not hide what another has too much. */
	if (added->unseen > added->ready)
		sum->unseen += added->unseen;
}

/* What changed most, in bytes; then what was allocated from most. */
static int compare(const void *a, const void *b)
{
	const SlabGrowthRow *of_a = a, *of_b = b;
	double bytes_a = ABS(of_a->bytes), bytes_b = ABS(of_b->bytes);

	if (bytes_a != bytes_b)
		return bytes_a > bytes_b ? -1 : 1;
	if (of_a->traced.allocations != of_b->traced.allocations)
		return of_a->traced.allocations > of_b->traced.allocations ? -1 : 1;
	return strcmp(of_a->name, of_b->name);
}

/* "in use 1,000 -> 1,250 (+250, +48,000 bytes, /proc/slabinfo)" */
static void append_use(GString *out, const SlabGrowth *of, const SlabGrowthRow *growth)
{
	const char *source = of->of_whom ? "/proc/slabinfo, whole host" : "/proc/slabinfo";
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
		g_string_append(out, growth->traced.allocations ? "; no net growth" : "");
	} else if (growth->unseen > growth->ready) {
		g_string_append(out, "; ");
		append_count(out, growth->unseen);
		g_string_append(out, " objects came from paths that no probe sees "
				     "(bulk allocation)");
	} else if (growth->unseen) {
		g_string_append(out, "; ");
		append_count(out, growth->unseen);
		g_string_append(out, " more may be free objects that CPUs hold ready");
	} else if (grown > growth->traced.allocations) {
		g_string_append(out, "; it grew by ");
		append_count(out, grown - growth->traced.allocations);
		g_string_append(out, " more");
	} else {
		g_string_append(out, "; net growth is ");
		append_percent(out, grown, growth->traced.allocations);
		g_string_append(out, " of them");
	}
}

/* "25,000 allocations traced; net growth is 1 % of them" */
static void append_traced(GString *out, const SlabGrowth *of, const SlabGrowthRow *growth)
{
	uint64_t traced = growth->traced.allocations;

	g_string_append(out, of->sampled ? "about " : "");
	append_count(out, traced);
	g_string_append(out, traced == 1 ? " allocation traced" : " allocations traced");
	append_sampled(out, &growth->traced.variance, traced);
	if (!growth->is_recorded)
		g_string_append(out, ", as not all were recorded");
	else if (growth->is_of_part)
		g_string_append(out, " in the part that was asked for");
	else if (of->of_whom)
		g_string_append_printf(out, ", %s alone, freed or not", of->of_whom);
	else if (growth->is_known)
		append_verdict(out, growth);
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
	append_traced(out, of, growth);
	g_string_append_c(out, '\n');
}

GArray *slab_growth_rows(const SlabGrowth *growth, SlabGrowthRow *sum)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SlabGrowthRow));

	*sum = (SlabGrowthRow){ .is_recorded = true, .is_of_part = growth->of_part };
	for (guint i = 0; i < cache_query_matched(growth->query)->len; i++) {
		const SlabGrowthRow row = row_of(growth, i);

		add(sum, &row);
		g_array_append_val(rows, row);
	}
	g_array_sort(rows, compare);
	return rows;
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

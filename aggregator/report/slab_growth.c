/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows about caches that were asked for: how they grew, what of that was traced, and whether
 * the two contradict.
 */
#include "report/slab_readings.h"

#include "base/saturate.h"
#include "names/kmalloc_class.h"
#include "table/group_table.h"

#include <string.h>

GArray *slab_growth_traced(const View *view, const CacheQuery *query)
{
	const ViewSource *source = view_source(view);
	const GroupNaming naming = { .source = source };
	g_autoptr(GroupIndex) caches = group_index_new(dimension_lookup("cache"), &naming);
	GArray *traced = g_array_new(FALSE, TRUE, sizeof(RowSums));
	GroupTable table;

	group_table_init(&table, source, (GroupIndex *[]){ caches, NULL });
	for (uint32_t i = 0; i < view_source_cells(source); i++)
		if (view_counts_cell(view, i))
			group_table_add(&table, view_source_cell(source, i));
	g_array_set_size(traced, cache_query_matched(query)->len);
	for (guint i = 0; i < table.rows->len; i++) {
		const GroupRow *row = group_table_row(&table, i);
		OriginId origin = group_index_member(caches, row->groups[0]);
		const char *name =
			cache_names_of(source->caches, profile_origin(source->profile, origin))
				.name;
		int index = name ? cache_query_index(query, name) : -1;

		if (index >= 0)
			row_sums_add(&g_array_index(traced, RowSums, index), &row->sums);
	}
	group_table_clear(&table);
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

/* A CPU may hold a slab of its own, some half-used slabs, and sheaves. Their free objects count as
   in use. */
static uint64_t objects_ready(const SlabGrowth *growth, const SlabinfoCache *cache,
			      uint64_t sheaves)
{
	enum { SLABS_OF_A_CPU = 8 };

	return saturate_sum(cache->objects_of_a_slab * SLABS_OF_A_CPU * MAX(growth->cpus, 1),
			    sheaves);
}

/* Whether no traced allocation of this cache can have been attributed to another cache. */
static bool has_all_traced(const SlabGrowth *growth, const char *name)
{
	KmallocClass class;

	return growth->all_traced && !(growth->some_by_size && kmalloc_class_parse(name, &class));
}

static bool is_contradicted(const SlabGrowth *growth, const char *name)
{
	const HeldCheckRow *row = held_check_find(growth->check, name);

	return row && (row->contradicted || row->left_out);
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
		.traced = g_array_index(growth->traced, RowSums, index),
		.is_known = any && slabinfo_count(growth->span.start) &&
			    slabinfo_count(growth->span.end),
		.is_recorded = !growth->recorded ||
			       g_strv_contains((const char *const *)growth->recorded, name),
		.is_of_part = growth->of_part,
		.is_contradicted = is_contradicted(growth, name),
	};

	if (!result.is_known)
		return result;
	result.bytes = ((double)result.end - (double)result.start) * (double)any->object_bytes;
	result.sheaves = start ? start->sheaf_objects : 0;
	result.ready = objects_ready(growth, any, result.sheaves);
	if (!growth->is_held && has_all_traced(growth, name) && result.is_recorded &&
	    result.end > result.start + result.traced.summary.allocations)
		result.unseen = result.end - result.start - result.traced.summary.allocations;
	return result;
}

static void slab_growth_add(SlabGrowthRow *sum, const SlabGrowthRow *added)
{
	sum->start += added->start;
	sum->end += added->end;
	sum->bytes += added->bytes;
	row_sums_add(&sum->traced, &added->traced);
	saturate_add(&sum->sheaves, added->sheaves);
	sum->is_known |= added->is_known;
	sum->is_recorded &= added->is_recorded;
	sum->is_contradicted |= added->is_contradicted;
	/* A deficit of one cache does not hide the excess of another. */
	if (added->unseen > added->ready)
		sum->unseen += added->unseen;
}

/* Largest change in bytes first, then most allocations. */
static int slab_growth_compare(const void *a, const void *b)
{
	const SlabGrowthRow *of_a = a, *of_b = b;
	double bytes_a = ABS(of_a->bytes), bytes_b = ABS(of_b->bytes);

	if (bytes_a != bytes_b)
		return bytes_a > bytes_b ? -1 : 1;
	if (of_a->traced.summary.allocations != of_b->traced.summary.allocations)
		return of_a->traced.summary.allocations > of_b->traced.summary.allocations ? -1 : 1;
	return strcmp(of_a->name, of_b->name);
}

GArray *slab_growth_rows(const SlabGrowth *growth, SlabGrowthRow *sum)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SlabGrowthRow));

	*sum = (SlabGrowthRow){ .is_recorded = true, .is_of_part = growth->of_part };
	for (guint i = 0; i < cache_query_matched(growth->query)->len; i++) {
		const SlabGrowthRow row = row_of(growth, i);

		slab_growth_add(sum, &row);
		g_array_append_val(rows, row);
	}
	g_array_sort(rows, slab_growth_compare);
	return rows;
}

static Value read_margin(Table *table, const TableColumn *column, guint row)
{
	const SlabGrowthRow *growth =
		row == TABLE_ALL ? table->all : &g_array_index(table->rows, SlabGrowthRow, row);

	return (Value){ .known = true, .percent = metric_margin(column->of, &growth->traced) };
}

#define IS_KNOWN MEMBER_AT(bool, SlabGrowthRow, is_known)
#define MEMBER(name, type, member) TABLE_MEMBER(name, type, SlabGrowthRow, member)

static const TableColumn columns[] = {
	{ MEMBER("cache", VALUE_TEXT, name), .is_key = true },
	{ MEMBER("asked_as", VALUE_TEXT, alias), .is_key = true },
	{ MEMBER("objects_in_use_start", VALUE_COUNT, start), .known_at = IS_KNOWN },
	{ MEMBER("objects_in_use_end", VALUE_COUNT, end), .known_at = IS_KNOWN },
	{ MEMBER("growth_bytes", VALUE_CHANGE, bytes), .known_at = IS_KNOWN },
	{ MEMBER("allocations", VALUE_COUNT, traced.summary.allocations) },
	{ .id = "allocations_margin_percent",
	  .type = VALUE_PERCENT,
	  .read = read_margin,
	  .of = &metrics[METRIC_ALLOCATIONS] },
	{ MEMBER("all_recorded", VALUE_FLAG, is_recorded) },
	{ MEMBER("objects_unseen", VALUE_COUNT, unseen) },
	{ MEMBER("objects_ready", VALUE_COUNT, ready) },
	{ MEMBER("held_is_contradicted", VALUE_FLAG, is_contradicted) },
};

Table *slab_growth_table_new(const SlabGrowth *growth)
{
	SlabGrowthRow sum;
	Table *table = table_new(growth, slab_growth_rows(growth, &sum));

	table->all = table_keep(table, &sum, sizeof(sum));
	table_add(table, columns, G_N_ELEMENTS(columns), TABLE_JSON);
	return table;
}

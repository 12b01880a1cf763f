/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Adds up what each cache holds, over the held cells of a view source. No state of its own.
 * rate_feed.c calls it for each interval of a run with --held.
 */
#include "rates/rate_table.h"

#include "table/cell_filter.h"
#include "table/group_table.h"

/* What the slab caches hold, and which of them are not paired. */
typedef struct {
	GroupTable by_cache;
	GArray *lacks; /* (element-type unsigned) by row of by_cache, owned */
} HeldCaches;

static void add_cell(HeldCaches *held, const ProfileCell *cell, unsigned lacks)
{
	uint32_t row = group_table_add(&held->by_cache, cell);

	if (row >= held->lacks->len)
		g_array_set_size(held->lacks, row + 1);
	g_array_index(held->lacks, unsigned, row) |= lacks;
}

/* A cache whose frees are not all seen has a row, but how much it holds is not known. */
static void add_cells(HeldCaches *held, const ViewSource *source, const GArray *filters,
		      CellFilters *prepared)
{
	for (uint32_t i = 0; i < view_source_cells(source); i++) {
		const ProfileCell *cell = view_source_cell(source, i);
		const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);
		int against;

		/* Allocations count, but not of the collector's own processes. */
		if (cell->origin == ORIGIN_ID_OVERFLOW || origin->free || origin->own)
			continue;
		against = cell_filters_against(prepared, cell);
		if (against < 0 && cell->events)
			add_cell(held, cell, 0);
		else if (against >= 0 &&
			 g_array_index(filters, CellFilter, against).type == &cell_filter_unpaired)
			add_cell(held, cell, NEEDS_HELD);
	}
}

static RateRow row_of(const CacheLabel *cache, const RowSums *sums)
{
	RateRow row = {
		.live = {
			.held = sums->summary.allocations,
			.held_bytes = sums->summary.bytes_allocated,
			.held_variance = sums->variance.allocations,
		},
	};

	rate_row_set_cache(&row, cache);
	return row;
}

GArray *rate_held_rows(const ViewSource *source, const GArray *filters, CellFilters *prepared)
{
	const GroupNaming naming = { .source = source };
	g_autoptr(GroupIndex) caches = group_index_new(dimension_lookup("cache"), &naming);
	GroupIndex *indexes[] = { caches, NULL };
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	HeldCaches held = { .lacks = g_array_new(FALSE, TRUE, sizeof(unsigned)) };

	group_table_init(&held.by_cache, source, indexes);
	add_cells(&held, source, filters, prepared);
	for (guint i = 0; i < held.by_cache.rows->len; i++) {
		const GroupRow *group = group_table_row(&held.by_cache, i);
		OriginId origin = group_index_member(caches, group->groups[0]);
		CacheLabel cache =
			cache_names_of(source->caches, profile_origin(source->profile, origin));
		RateRow row = row_of(&cache, &group->sums);

		row.lacks = g_array_index(held.lacks, unsigned, i);
		g_array_append_val(rows, row);
	}
	group_table_clear(&held.by_cache);
	g_array_unref(held.lacks);
	return rows;
}

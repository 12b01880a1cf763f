/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the overview of all caches, by growth, and how much memory was taken outside of slab
 * caches.
 */
#include "report/slab_readings.h"

#include "base/clock.h"

#include <string.h>

const struct SlabTableUse slab_table_uses[SLAB_TABLE_USES] = {
	{ HOST_MEMORY_AVAILABLE, "available" },
	{ HOST_SLAB_UNRECLAIMABLE, "slab unreclaimable" },
	{ HOST_SLAB_RECLAIMABLE, "slab reclaimable" },
	{ HOST_VMALLOC, "vmalloc" },
	{ HOST_PER_CPU, "per-CPU" },
	{ HOST_PAGE_TABLES, "page tables" },
};

static double change_of(const SlabSpan *span, const SlabinfoCache *end)
{
	const SlabinfoCache *start = slabinfo_find(span->start, end->name);
	double objects = (double)end->objects_in_use - (double)(start ? start->objects_in_use : 0);

	return span->span_ns
		       ? objects * (double)end->object_bytes * NS_PER_SECOND / (double)span->span_ns
		       : 0;
}

/* Growth first, then size. Shrinking caches are not sorted to the end. */
static int compare_rows(const void *a, const void *b)
{
	const SlabTableRow *of_a = a, *of_b = b;
	double growth_a = MAX(of_a->change_bytes, 0), growth_b = MAX(of_b->change_bytes, 0);

	if (growth_a != growth_b)
		return growth_a > growth_b ? -1 : 1;
	if (of_a->slab_bytes != of_b->slab_bytes)
		return of_a->slab_bytes > of_b->slab_bytes ? -1 : 1;
	return strcmp(of_a->name, of_b->name);
}

static GArray *rows_of(const SlabTable *slabs, bool reclaimable)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SlabTableRow));

	for (guint i = 0; i < slabinfo_count(slabs->span.end); i++) {
		const SlabinfoCache *cache = slabinfo_at(slabs->span.end, i);
		const SlabTableRow row = {
			.name = cache->name,
			.reclaimable = reclaimable,
			.objects_in_use = cache->objects_in_use,
			.slab_bytes = cache->slab_bytes,
			.change_bytes = change_of(&slabs->span, cache),
		};

		if ((cache->slab_bytes || cache->objects_in_use) &&
		    reclaimable_has(slabs->reclaimable, cache->name) == reclaimable)
			g_array_append_val(rows, row);
	}
	g_array_sort(rows, compare_rows);
	return rows;
}

#define MEMBER(name, type, member) TABLE_MEMBER(name, type, SlabTableRow, member)

static const TableColumn columns[] = {
	{ MEMBER("cache", VALUE_TEXT, name), .title = "CACHE" },
	{ MEMBER("reclaimable", VALUE_FLAG, reclaimable), .uses = TABLE_JSON | TABLE_FLAT },
	{ MEMBER("objects_in_use", VALUE_COUNT, objects_in_use), .title = "IN-USE" },
	{ MEMBER("slab_bytes", VALUE_BYTES, slab_bytes), .title = "SIZE-BYTES",
	  .title_human = "SIZE" },
	{ MEMBER("change_bytes_per_second", VALUE_CHANGE, change_bytes), .title = "CHANGE-BYTES/s",
	  .title_human = "CHANGE/s" },
};

void slab_table_add(Table *table, const SlabTable *slabs, SlabKinds kinds, TableUse use)
{
	table->rows = g_array_new(FALSE, FALSE, sizeof(SlabTableRow));
	for (int reclaimable = 0; reclaimable < 2; reclaimable++) {
		g_autoptr(GArray) rows = rows_of(slabs, reclaimable);
		guint shown = MIN(rows->len, slabs->rows_max);

		if (!(kinds & (reclaimable ? SLABS_RECLAIMABLE : SLABS_KEPT)))
			continue;
		g_array_append_vals(table->rows, rows->data, shown);
		table->more += rows->len - shown;
	}
	table->count = table->rows->len;
	table_add(table, columns, G_N_ELEMENTS(columns), use);
}

int64_t slab_table_taken_outside(const SlabTable *table)
{
	enum { NOISE_BYTES = 1 << 20, NOISE_BYTES_OF_A_CPU = 128 << 10 };
	const HostState *start = &table->memory.start, *end = &table->memory.end;
	int64_t outside = host_state_taken_outside_slab(start, end);
	int64_t in_slab = (int64_t)(end->numbers[HOST_SLAB_UNRECLAIMABLE] -
				    start->numbers[HOST_SLAB_UNRECLAIMABLE]);
	int64_t noise = NOISE_BYTES + (int64_t)table->cpus * NOISE_BYTES_OF_A_CPU;

	return outside > MAX(in_slab, noise) ? outside : 0;
}

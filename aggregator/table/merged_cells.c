/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells of merged runs with their sums in parallel arrays, of which only the needed ones exist;
 * a hash table finds a cell. merged.c adds to it, row_sums.c reads.
 */
#include "table/merged_cells.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "base/slot_table.h"
#include "base/unconst.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

/* Only some reports have these: each array is empty, or has an entry for each cell. */
struct MergedCells {
	SlotTable slots;
	GArray *cells;     /* (element-type MergedCell), owned */
	GArray *variances; /* (element-type Variance), owned: of sampled events */
	GArray *held;      /* (element-type HeldSums), owned */
	GArray *hits;      /* (element-type HitSums), owned */
	HeldChoice choice;
	bool has_pairs;
};

MergedCells *merged_cells_new(void)
{
	MergedCells *cells = g_new0(MergedCells, 1);

	slot_table_init(&cells->slots, FIRST_SLOTS);
	cells->cells = g_array_new(FALSE, TRUE, sizeof(MergedCell));
	cells->variances = g_array_new(FALSE, TRUE, sizeof(Variance));
	cells->held = g_array_new(FALSE, TRUE, sizeof(HeldSums));
	cells->hits = g_array_new(FALSE, TRUE, sizeof(HitSums));
	return cells;
}

void merged_cells_free(MergedCells *cells)
{
	if (!cells)
		return;
	slot_table_clear(&cells->slots);
	g_array_unref(cells->cells);
	g_array_unref(cells->variances);
	g_array_unref(cells->held);
	g_array_unref(cells->hits);
	g_free(cells);
}

void merged_cells_set_held(MergedCells *cells, const HeldChoice *choice)
{
	cells->has_pairs = true;
	cells->choice = *choice;
}

static size_t memory_of_array(const GArray *array)
{
	return (size_t)array->len * g_array_get_element_size(unconst(array));
}

size_t merged_cells_memory(const MergedCells *cells)
{
	return slot_table_memory(&cells->slots) + memory_of_array(cells->cells) +
	       memory_of_array(cells->variances) + memory_of_array(cells->held) +
	       memory_of_array(cells->hits);
}

static bool is_same(const MergedCell *a, const MergedCell *b)
{
	return a->cell.origin == b->cell.origin && a->cell.task == b->cell.task &&
	       a->cell.context == b->cell.context && a->freer == b->freer &&
	       a->age_class == b->age_class;
}

/* Returns SLOT_ID_NONE if it must not be added. */
static uint32_t merged_cells_intern(MergedCells *cells, const MergedCell *key, bool may_add)
{
	const MergedCell cell = {
		.cell = { .origin = key->cell.origin,
			  .task = key->cell.task,
			  .context = key->cell.context,
			  .kind = CELL_OF_MERGED },
		.freer = key->freer,
		.age_class = key->age_class,
	};
	const uint64_t words[] = {
		(uint64_t)key->cell.origin << 32 | key->freer,
		(uint64_t)key->cell.task << 32 | key->cell.context << 8 | key->age_class,
	};
	uint32_t hash = (uint32_t)keyed_hash(words, sizeof(words)), at, id;

	for (at = hash; (id = slot_table_candidate(&cells->slots, hash, &at)) != SLOT_ID_NONE; at++)
		if (is_same(merged_cells_at(cells, id), key))
			return id;
	if (!may_add)
		return SLOT_ID_NONE;
	id = cells->cells->len;
	g_array_append_val(cells->cells, cell);
	slot_table_put(&cells->slots, hash, at, id);
	return id;
}

/* Returns the entry of a cell, in an array that has entries up to it. */
static void *merged_cells_entry(GArray *array, uint32_t id)
{
	if (id >= array->len)
		g_array_set_size(array, id + 1);
	return array->data + (size_t)id * g_array_get_element_size(array);
}

static const void *entry_if_any(const GArray *array, uint32_t id)
{
	return id < array->len ? array->data + (size_t)id * g_array_get_element_size(unconst(array))
			       : NULL;
}

static bool is_any(const void *sums, size_t bytes)
{
	const uint8_t *at = sums;

	return *at || memcmp(at, at + 1, bytes - 1);
}

bool merged_cells_add(MergedCells *cells, const MergedCell *key, const RowSums *sums, bool may_add)
{
	uint32_t id = merged_cells_intern(cells, key, may_add);
	MergedCell *cell;

	if (id == SLOT_ID_NONE)
		return false;
	hot_assert(id < cells->cells->len);
	cell = &g_array_index(cells->cells, MergedCell, id);
	saturate_add(&cell->cell.events, sums->summary.allocations);
	saturate_add(&cell->cell.failed, sums->summary.failed);
	saturate_add(&cell->bytes_requested, sums->summary.bytes_requested);
	saturate_add(&cell->bytes_allocated, sums->summary.bytes_allocated);
	if (is_any(&sums->variance, sizeof(sums->variance)))
		variance_add(merged_cells_entry(cells->variances, id), &sums->variance);
	if (is_any(&sums->held, sizeof(sums->held)))
		held_sums_add(merged_cells_entry(cells->held, id), &sums->held);
	if (is_any(&sums->hits, sizeof(sums->hits)))
		hit_sums_add(merged_cells_entry(cells->hits, id), &sums->hits);
	return true;
}

uint32_t merged_cells_count(const MergedCells *cells)
{
	return cells->cells->len;
}

const MergedCell *merged_cells_at(const MergedCells *cells, uint32_t index)
{
	hot_assert(index < cells->cells->len);
	return &g_array_index(cells->cells, MergedCell, index);
}

RowSums merged_cells_sums(const MergedCells *cells, const MergedCell *cell)
{
	uint32_t id = (uint32_t)(cell - (const MergedCell *)(const void *)cells->cells->data);
	const Variance *variance = entry_if_any(cells->variances, id);
	const HeldSums *held = entry_if_any(cells->held, id);
	const HitSums *hits = entry_if_any(cells->hits, id);

	return (RowSums){
		.summary = {
			.allocations = cell->cell.events,
			.failed = cell->cell.failed,
			.bytes_requested = cell->bytes_requested,
			.bytes_allocated = cell->bytes_allocated,
		},
		.variance = variance ? *variance : (Variance){ 0 },
		.held = held ? *held : (HeldSums){ 0 },
		.hits = hits ? *hits : (HitSums){ 0 },
	};
}

bool merged_cells_have_pairs(const MergedCells *cells)
{
	return cells->has_pairs && !cells->choice.by_age;
}

const HeldChoice *merged_cells_choice(const MergedCells *cells)
{
	return cells->has_pairs ? &cells->choice : NULL;
}

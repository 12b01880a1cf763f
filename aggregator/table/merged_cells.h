/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "held/held_cells.h"
#include "table/row_sums.h"

/*
 * MergedCells has the cells of several runs, whose origins and tasks are in one profile. A cell has
 * sums instead of the size of each event, so events of all sizes share it.
 */
typedef struct MergedCells MergedCells;

typedef struct {
	ProfileCell cell; /* events, failed: of the sums */
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	OriginId freer;    /* as in HeldCell */
	uint8_t age_class; /* as in HeldCell */
} MergedCell;

/* Returns the MergedCell that a cell is a part of; NULL: none. */
static inline const MergedCell *merged_cell_of(const ProfileCell *cell)
{
	G_STATIC_ASSERT(offsetof(MergedCell, cell) == 0);
	return cell->kind == CELL_OF_MERGED ? (const MergedCell *)(const void *)cell : NULL;
}

/* Returns the origin of the frees of a cell; ORIGIN_ID_NONE: it has what was not freed. */
static inline OriginId cell_freer(const ProfileCell *cell)
{
	const MergedCell *merged = merged_cell_of(cell);
	const HeldCell *held = held_cell_of(cell);

	return merged ? merged->freer : held ? held->freer : ORIGIN_ID_NONE;
}

/* Returns the class of ages of a cell; AGE_CLASS_NONE: of all ages. */
static inline uint8_t cell_age_class(const ProfileCell *cell)
{
	const MergedCell *merged = merged_cell_of(cell);
	const HeldCell *held = held_cell_of(cell);

	return merged ? merged->age_class : held ? held->age_class : (uint8_t)AGE_CLASS_NONE;
}

/* Returns an empty table. Free it with merged_cells_free(). */
MergedCells *merged_cells_new(void);
void merged_cells_free(MergedCells *cells);

/* Notes that allocations were paired with frees; choice: what is shown of them. */
void merged_cells_set_held(MergedCells *cells, const HeldChoice *choice);

/* Adds sums to the cell with the origin, task, context, freer and class of ages of `key`, adding it
   if it is new. Returns false if it is new, and must not be added. */
bool merged_cells_add(MergedCells *cells, const MergedCell *key, const RowSums *sums, bool may_add);

/* Return the number of cells, and one of them by its index below it; valid until one is added. */
uint32_t merged_cells_count(const MergedCells *cells);
const MergedCell *merged_cells_at(const MergedCells *cells, uint32_t index);

/* Returns all that is known of a cell. */
RowSums merged_cells_sums(const MergedCells *cells, const MergedCell *cell);

/* Whether allocations were paired, and all is known of each cell. */
bool merged_cells_have_pairs(const MergedCells *cells);

/* Returns what is shown of held objects; NULL: allocations were not paired. */
const HeldChoice *merged_cells_choice(const MergedCells *cells);

/* Returns the memory in use, in bytes. */
size_t merged_cells_memory(const MergedCells *cells);

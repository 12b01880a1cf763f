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

/* Adds all that is known of a cell. */
void merged_cells_add_sums(const MergedCells *cells, const MergedCell *cell, RowSums *sums);

/* Whether allocations were paired, and all is known of each cell. */
bool merged_cells_have_pairs(const MergedCells *cells);

/* Returns what is shown of held objects; NULL: allocations were not paired. */
const HeldChoice *merged_cells_choice(const MergedCells *cells);

/* Returns the memory in use, in bytes. */
size_t merged_cells_memory(const MergedCells *cells);

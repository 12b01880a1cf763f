/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "base/memory_budget.h"
#include "names/cache_names.h"
#include "names/cgroup_names.h"
#include "names/run_names.h"
#include "record/point_list.h"
#include "count/held_readings.h"
#include "held/held_cells.h"
#include "symbols/code_objects.h"
#include "symbols/line_table.h"
#include "symbols/frame_table.h"
#include "symbols/symbol_store.h"
#include "table/merged_cells.h"
#include "table/row_sums.h"
#include "code/user/user_names.h"

/* The input of a view: cells, and the sources of names. Everything is borrowed. */
typedef struct {
	const Profile *profile;
	const SymbolStore *symbols;
	const CodeObjects *code;
	const LineTable *lines; /* NULL: frames are shown without source lines */
	const UserObjects *user_objects;
	const UserNames *user_names;
	const PointList *points; /* NULL: none */
	/* Parts of stacks that are not shown. */
	bool hides_kernel_frames;
	bool hides_user_frames;
	CacheNames *caches;
	const CgroupNames *cgroups;
	MemoryBudget *memory;        /* NULL: no limit */
	Sampling sampling;           /* of the profile's events */
	HeldReadings *held;          /* the ages of held objects; NULL: unknown */
	const HeldCells *held_cells; /* counted instead of the profile's cells; NULL: these */
	const RunNames *runs;        /* of the tasks; NULL: unknown */
	/* Of several runs that were merged; NULL: of a single one. */
	const MergedCells *merged; /* counted instead of the profile's cells */
	FrameTable *frames;        /* what the stacks of the profile consist of (STACK_NAMED) */
} ViewSource;

/* Returns the number of cells that a view counts. */
static inline uint32_t view_source_cells(const ViewSource *source)
{
	if (source->merged)
		return merged_cells_count(source->merged);
	return source->held_cells ? held_cells_count(source->held_cells)
				  : profile_cell_count(source->profile);
}

static inline const ProfileCell *view_source_cell(const ViewSource *source, uint32_t index)
{
	if (source->merged)
		return &merged_cells_at(source->merged, index)->cell;
	return source->held_cells ? &held_cells_at(source->held_cells, index)->cell
				  : profile_cell(source->profile, index);
}

/* Adds all that is known of a cell to the sums of its row: row_sums.c. */
void cell_add_sums(const ViewSource *source, const ProfileCell *cell, RowSums *sums);

/* Whether allocations were paired with frees, and how many cells hold is not all that is known. */
static inline bool view_source_has_pairs(const ViewSource *source)
{
	if (source->merged)
		return merged_cells_have_pairs(source->merged);
	return source->held_cells && held_cells_are_whole(source->held_cells);
}

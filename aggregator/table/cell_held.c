/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sums of one cell, wherever they are: held cells, a kernel's record, merged runs, or the
 * profile's cell. All tables add cells through this file.
 */
#include "table/cell_held.h"

#include <string.h>

static EventCache cache_of(const Profile *profile, const ProfileOrigin *origin)
{
	const ProfileCache *known = profile_cache(profile, origin->cache);
	EventCache cache = {
		.object_bytes = known->object_bytes,
		.slot_bytes = known->slot_bytes,
		.name_bytes = (uint16_t)strlen(known->name),
	};

	memcpy(cache.name, known->name, cache.name_bytes);
	return cache;
}

/* Finds the place of a cell's objects, as its importer described it. */
static bool cell_ages(const ViewSource *source, const ProfileCell *cell, HeldAges *ages)
{
	const ProfileOrigin *origin = profile_origin(source->profile, cell->origin);
	const ProfileTask *known = profile_task(source->profile, cell->task);
	EventTask task = { .tgid = known->tgid, .cgroup_id = known->cgroup_id };
	const EventCache cache = cache_of(source->profile, origin);
	HeldObjects place = {
		.task = cell->task == TASK_ID_UNKNOWN ? NULL : &task,
		.cache = origin->cache == CACHE_ID_UNKNOWN ? NULL : &cache,
		.source = origin->source,
	};

	if (origin->stack == STACK_ID_NONE)
		return false;
	memcpy(task.comm, known->comm, sizeof(task.comm));
	place.text =
		stack_table_bytes(profile_stacks(source->profile), origin->stack, &place.length);
	return held_readings_ages(source->held, &place, ages);
}

bool cell_held(const ViewSource *source, const ProfileCell *cell, HeldSums *sums)
{
	const HeldCell *held = held_cell_of(cell);
	HeldAges ages;

	if (held)
		*sums = held->sums;
	else if (source->held && cell_ages(source, cell, &ages))
		*sums = (HeldSums){ .oldest_ns = ages.max_ns, .youngest_ns = ages.min_ns };
	else
		*sums = (HeldSums){ .some_ageless = cell->events > 0 };
	return held || source->held;
}

void cell_add_sums(const ViewSource *source, const ProfileCell *cell, RowSums *sums)
{
	const MergedCell *merged = merged_cell_of(cell);
	HeldSums held;
	bool is_held;

	if (merged) {
		merged_cells_add_sums(source->merged, merged, sums);
		return;
	}
	is_held = cell_held(source, cell, &held);
	row_sums_add_cell(sums, cell, profile_origin(source->profile, cell->origin),
			  sampling_of_cell(&source->sampling, source->profile, cell),
			  is_held ? &held : NULL);
	view_source_add_values(source, sums, cell);
}

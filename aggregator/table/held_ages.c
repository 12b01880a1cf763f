/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/held_ages.h"

#include <string.h>

static EventTask task_of(const Profile *profile, const ProfileCell *cell)
{
	const ProfileTask *known = profile_task(profile, cell->task);
	EventTask task = { .tgid = known->tgid };

	memcpy(task.comm, known->comm, sizeof(task.comm));
	return task;
}

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
	const EventTask task = task_of(source->profile, cell);
	const EventCache cache = cache_of(source->profile, origin);
	HeldObjects place = {
		.task = cell->task == TASK_ID_UNKNOWN ? NULL : &task,
		.cache = origin->cache == CACHE_ID_UNKNOWN ? NULL : &cache,
		.source = origin->source,
	};

	if (origin->stack == STACK_ID_NONE)
		return false;
	place.text =
		stack_table_bytes(profile_stacks(source->profile), origin->stack, &place.length);
	return held_readings_ages(source->held, &place, ages);
}

bool view_held_ages(const View *view, const ViewStack *stack, HeldAges *ages)
{
	const ViewSource *source = view_source(view);
	uint32_t count;
	const uint32_t *cells = view_cells(view, stack, &count);

	*ages = (HeldAges){ UINT64_MAX, 0 };
	for (uint32_t i = 0; i < count && source->held; i++) {
		HeldAges of_cell;

		if (!cell_ages(source, profile_cell(source->profile, cells[i]), &of_cell))
			return false;
		ages->min_ns = MIN(ages->min_ns, of_cell.min_ns);
		ages->max_ns = MAX(ages->max_ns, of_cell.max_ns);
	}
	return ages->max_ns > 0;
}

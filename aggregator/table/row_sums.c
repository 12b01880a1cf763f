/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of a row: numbers, bytes, variances, what is held, values of hits. Saturating; no state. All
 * tables add cells through this file, wherever these are: held cells, a kernel's record, merged
 * runs, or the profile.
 */
#include "table/row_sums.h"

#include "base/saturate.h"
#include "table/view_source.h"

#include <string.h>

/* The bytes of its allocations are not in the sums of a cell, as they all have the same size. */
static void add_held(HeldSums *sums, const HeldSums *held, const ProfileOrigin *origin)
{
	double variance = (double)held->allocated * (double)(MAX(held->scale, 1) - 1);
	double bytes = (double)origin->bytes_allocated;
	double waste = bytes - (double)MIN(origin->bytes_requested, origin->bytes_allocated);

	held_sums_add(sums, held);
	saturate_add(&sums->bytes_requested,
		     saturate_product(held->allocated, origin->bytes_requested));
	saturate_add(&sums->bytes_allocated,
		     saturate_product(held->allocated, origin->bytes_allocated));
	sums->bytes_variance += variance * bytes * bytes;
	sums->waste_variance += variance * waste * waste;
}

/* Failed allocations have no bytes, but count in the variance of a sampled cell. */
static void add_bytes_scatter(Scatter *sum, const ProfileCell *cell, const ProfileOrigin *origin,
			      CellSampling sampling)
{
	double events = (double)cell->events + variance_of_cell(cell, sampling);
	double requested = (double)origin->bytes_requested;
	double allocated = (double)origin->bytes_allocated;
	double wasted = MAX(allocated - requested, 0);

	if (!cell->events)
		return;
	sum->bytes_requested += events * requested * requested;
	sum->bytes_allocated += events * allocated * allocated;
	sum->bytes_wasted += events * wasted * wasted;
}

/* Adds a cell of that origin; ignores frees and the collector's own allocations. held: what is
   known about its held objects; NULL: nothing. */
static void row_sums_add_cell(RowSums *sums, const ProfileCell *cell, const ProfileOrigin *origin,
			      CellSampling sampling, const HeldSums *held)
{
	StackSummary *summary = &sums->summary;

	if (origin->free || origin->own)
		return;
	saturate_add(&summary->allocations, cell->events);
	saturate_add(&summary->failed, cell->failed);
	saturate_add(&summary->bytes_requested,
		     saturate_product(cell->events, origin->bytes_requested));
	saturate_add(&summary->bytes_allocated,
		     saturate_product(cell->events, origin->bytes_allocated));
	variance_add_cell(&sums->variance, cell, origin, sampling);
	add_bytes_scatter(&sums->scatter, cell, origin, sampling);
	if (held)
		add_held(&sums->held, held, origin);
}

static void row_sums_add_values(RowSums *sums, const ProfileValues *values, CellSampling sampling)
{
	HitSums *hits = &sums->hits;
	double variance = values->variance * sampling.scatter;

	hits->value = saturate_signed_sum(hits->value, values->sum);
	hits->value_variance += variance;
	sums->scatter.value += values->squares + variance;
	sums->scatter.time_ns += values->time_scatter;
	saturate_add(&hits->time_ns, values->time_ns);
	hits->time_max_ns = MAX(hits->time_max_ns, values->time_max_ns);
}

void row_sums_add(RowSums *sums, const RowSums *added)
{
	StackSummary *summary = &sums->summary;

	saturate_add(&summary->allocations, added->summary.allocations);
	saturate_add(&summary->failed, added->summary.failed);
	saturate_add(&summary->bytes_requested, added->summary.bytes_requested);
	saturate_add(&summary->bytes_allocated, added->summary.bytes_allocated);
	variance_add(&sums->variance, &added->variance);
	held_sums_add(&sums->held, &added->held);
	hit_sums_add(&sums->hits, &added->hits);
	sums->scatter.bytes_requested += added->scatter.bytes_requested;
	sums->scatter.bytes_allocated += added->scatter.bytes_allocated;
	sums->scatter.bytes_wasted += added->scatter.bytes_wasted;
	sums->scatter.value += added->scatter.value;
	sums->scatter.time_ns += added->scatter.time_ns;
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

/* Returns whether anything is known about the held objects of a cell, from pairing or from the
   kernel's record; *sums is set then. */
static bool cell_held(const ViewSource *source, const ProfileCell *cell, HeldSums *sums)
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
	CellSampling sampling;
	HeldSums held;
	bool is_held;

	if (merged) {
		const RowSums added = merged_cells_sums(source->merged, merged);

		row_sums_add(sums, &added);
		return;
	}
	is_held = cell_held(source, cell, &held);
	sampling = sampling_of_cell(&source->sampling, source->profile, cell);
	row_sums_add_cell(sums, cell, profile_origin(source->profile, cell->origin), sampling,
			  is_held ? &held : NULL);
	/* Held objects have no values. */
	if (cell->kind == CELL_ALONE && profile_has_values(source->profile)) {
		const ProfileValues values = profile_values(source->profile, cell);

		row_sums_add_values(sums, &values, sampling);
	}
}

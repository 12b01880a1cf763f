/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view.h"

/*
 * Merged has the cells of several runs, joined by names: of functions, slab caches, cgroups,
 * processes. Each run is added from its own view, which has chosen its cells, and is freed before
 * the next one. Frames have neither addresses nor offsets, so the same path in two builds of a
 * kernel is one stack.
 */
typedef struct Merged Merged;

/* Which members cells keep. The rest is added up, which saves memory. */
typedef struct {
	bool runs;
	bool hosts; /* or recordings: what is shown of runs */
	bool pids;  /* of processes, else all of a name are one */
	bool threads;
	bool cgroups;
	bool caches;
	bool call_sites;
} MergedParts;

/* Returns the parts that these keys need (ended by NULL), and those named in `more`, "stack,host";
   NULL: none. */
MergedParts merged_parts_of(const Dimension *const *keys, const char *more);

/* Returns an empty result that uses at most about bytes_max. runs: the names of the runs, borrowed;
   run 0 is that of what finds no room. Free it with merged_free(). */
Merged *merged_new(size_t bytes_max, MergedParts parts, const RunNames *runs);
void merged_free(Merged *merged);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Merged, merged_free)

/* Adds what a view counts of a run. skip: functions that are not call sites; NULL: only the
   allocators. */
void merged_add(Merged *merged, const View *view, uint32_t run, const CallsiteSkip *skip);

/* Returns the source of a view of all runs; it borrows everything from merged. */
ViewSource merged_source(const Merged *merged);

/* Returns what the cell filters of the views left out (element-type ViewLeftOut), borrowed. */
const GArray *merged_left_out(const Merged *merged);

/* Returns the events that found no room for their stack or cell, and those without their task or
   cache. */
ProfileTotals merged_overflow(const Merged *merged);

/* Returns the number of distinct stacks. */
uint32_t merged_stacks(const Merged *merged);

/* Returns the budget that its tables take from; borrowed. */
MemoryBudget *merged_memory(const Merged *merged);

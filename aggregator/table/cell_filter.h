/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "table/view_source.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Whose allocations, and which, a view is made of: a condition on single counters, not on stacks.
 * What it takes away is not in the view's sums either.
 */
typedef struct {
	const char *option; /* that asks for it: "cgroup" */
	/* Returns what keeps() needs for one view; freed by dispose(). */
	void *(*prepare)(const void *argument, const ViewSource *source);
	bool (*keeps)(void *state, const ProfileCell *cell);
	/* Once every counter was judged: appends what the report should say beside how much was
	   left out, in a few words; nothing where there is nothing to say. NULL: never. */
	void (*remark)(const void *state, GString *out);
	void (*dispose)(void *state);
} CellFilterType;

typedef struct {
	const CellFilterType *type;
	const void *argument; /* borrowed */
	const char *given; /* as the user gave it, borrowed; NULL: the report says it elsewhere */
} CellFilter;

/* Conditions that are ready to judge the counters of one source. */
typedef struct CellFilters CellFilters;

/* Prepares the filters (element-type CellFilter); NULL: there are none. Everything is borrowed
   until cell_filters_free(). */
CellFilters *cell_filters_new(const GArray *filters, const ViewSource *source);
void cell_filters_free(CellFilters *prepared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CellFilters, cell_filters_free)

/* Returns the number of the first filter that takes a counter away; -1: all keep it. */
int cell_filters_against(CellFilters *prepared, const ProfileCell *cell);

/* Returns what a filter says once every counter was judged, or NULL; the caller frees it. */
char *cell_filters_remark(const CellFilters *prepared, guint number);

/* The kinds. */

/* Keeps the counters of slab caches that are asked for. Its argument is a CacheQuery that was
   resolved for the host of the stream. */
extern const CellFilterType cell_filter_cache;

/* Keeps the others, and those whose cache is not known. */
extern const CellFilterType cell_filter_cache_excluded;

/* --cgroup: keeps what tasks allocated whose cgroup's path or label matches the argument, a glob;
   what interrupts allocated is no cgroup's. */
extern const CellFilterType cell_filter_cgroup;

/* Which processes count: the argument of both filters below. Everything is borrowed. */
typedef struct {
	const GArray *pids;   /* (element-type guint32): tgids */
	const char *globs;    /* of process names, separated by commas */
	bool with_interrupts; /* also what interrupts allocated while a process of them ran */
} ProcessChoice;

/* -p on a recording: keeps what the threads of the processes `pids` allocated. */
extern const CellFilterType cell_filter_pid;

/* --process: keeps what processes allocated whose name matches one of `globs`, as recorded or as
   printed ("kworker" for "kworker/0:1"). */
extern const CellFilterType cell_filter_process;

/* Whether any of the filters (element-type CellFilter) picks tasks, whatever their caches; NULL:
   there are none. */
bool cell_filters_pick_tasks(const GArray *filters);

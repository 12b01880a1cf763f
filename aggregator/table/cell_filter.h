/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "table/view_source.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A cell filter selects the cells that a view counts. Cells that it drops are not in the view's
 * sums either.
 */
typedef struct {
	const char *option; /* name of its option: "cgroup" */
	/* Returns the state of keeps() for one view; dispose() frees it. */
	void *(*prepare)(const void *argument, const ViewSource *source);
	bool (*keeps)(void *state, const ProfileCell *cell);
	/* After all cells were judged: appends a short remark for the report, in addition to the
	   number left out; or nothing. NULL: never. */
	void (*remark)(const void *state, GString *out);
	void (*dispose)(void *state);
} CellFilterType;

typedef struct {
	const CellFilterType *type;
	const void *argument; /* borrowed */
	const char *given; /* as the user gave it, borrowed; NULL: shown elsewhere in the report */
} CellFilter;

/* Filters that are prepared for one source. */
typedef struct CellFilters CellFilters;

/* Prepares the filters (element-type CellFilter); NULL: none. Everything is borrowed until
   cell_filters_free(). */
CellFilters *cell_filters_new(const GArray *filters, const ViewSource *source);
void cell_filters_free(CellFilters *prepared);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CellFilters, cell_filters_free)

/* Returns the number of the first filter that drops the cell; -1: all filters keep it. */
int cell_filters_against(CellFilters *prepared, const ProfileCell *cell);

/* Returns the remark of a filter after all cells were judged, or NULL; the caller frees it. */
char *cell_filters_remark(const CellFilters *prepared, guint number);

/* The filter types. */

/* Keeps the cells of the requested slab caches. The argument is a CacheQuery that was resolved for
   the host of the stream. */
extern const CellFilterType cell_filter_cache;

/* Keeps the cells of all other caches, and those of unknown caches. */
extern const CellFilterType cell_filter_cache_excluded;

/* --cgroup: keeps the cells of tasks whose cgroup's path or label matches the argument, a glob.
   Allocations in interrupts belong to no cgroup. */
extern const CellFilterType cell_filter_cgroup;

/* Selects processes: the argument of both filters below. Everything is borrowed. */
typedef struct {
	const GArray *pids;   /* (element-type guint32): tgids */
	const char *globs;    /* of process names, separated by commas */
	bool with_interrupts; /* include allocations of interrupts while these processes ran */
} ProcessChoice;

/* -p on a recording: keeps allocations by threads of the processes `pids`. */
extern const CellFilterType cell_filter_pid;

/* --process: keeps allocations by processes whose name, as recorded or as printed ("kworker" for
   "kworker/0:1"), matches one of `globs`. */
extern const CellFilterType cell_filter_process;

/* Whether a name of a process, or the path of a cgroup or its usual name, matches a glob of these
   filters. */
bool process_name_matches(const char *glob, const char *comm);
bool cgroup_path_matches(const char *glob, const char *path);

/* --held: drops the cells of slab caches whose frees are often not seen: what they hold is not
   known. */
extern const CellFilterType cell_filter_unpaired;

/* --held: drops page allocations below slabs and large kmallocs, whose objects are counted: memory
   is not held twice. */
extern const CellFilterType cell_filter_slab_pages;

/* Whether any filter (element-type CellFilter) selects tasks, independent of their caches; NULL: no
   filters. */
bool cell_filters_pick_tasks(const GArray *filters);

/* Whether the scope of a run, as in KMT_FIELD_SCOPE, is the whole host, or is that of chosen
   processes. NULL: not known, neither of them. */
bool scope_is_host(const char *scope);
bool scope_picks_tasks(const char *scope);

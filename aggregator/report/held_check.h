/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/slabinfo.h"
#include "session/session.h"
#include "table/cell_filter.h"
#include "table/view.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * HeldCheck compares the objects that a run allocated and was not seen to free with the objects in
 * use in /proc/slabinfo, for each slab cache. A cache cannot hold more objects than are in use, and
 * it grows by what the run holds, minus the older objects that were freed. If the numbers
 * contradict each other, not all frees of the cache were seen.
 *
 * Kmalloc caches of one size count together: the kind of a kmalloc is derived from its size and
 * flags, and some kernels have several caches of a kind.
 */
typedef struct {
	char *name;           /* owned, not yet escaped: as slabinfo, or "kmalloc-64" */
	uint64_t held;        /* objects that were not seen freed */
	uint64_t start;       /* objects in use at the start ... */
	uint64_t end;         /* ... and at the end of the run */
	uint64_t older_freed; /* frees whose allocation was before the run, at most */
	uint64_t allocated;   /* objects that were followed */
	bool misses_frees;    /* addresses were allocated again without a free */
	bool contradicted;
	bool left_out; /* its objects are not counted: most of its frees were not seen */
} HeldCheckRow;

/* Returns the slab caches of a view about held objects (element-type HeldCheckRow): contradicted
   ones first, then those that hold most, then those left out. NULL: there is nothing to compare
   with, or what is counted was not held at the end. The caller unrefs it. */
GArray *held_check_new(const View *view, const Session *session);

/* A moment during a run, and a reading of another one. Everything is borrowed. */
typedef struct {
	const ViewSource *source; /* with the cells held at the moment */
	CellFilters *filters;     /* prepared for the source: which cells count */
	uint64_t end_ns;          /* the moment */
	const Slabinfo *in_use;   /* the reading ... */
	uint64_t read_ns;         /* ... and its time */
	/* The rows of an earlier moment, if the reading is between both: what was allocated since
	   may be too new for it. NULL: the reading is at the moment, or soon after. */
	const GArray *before;
} HeldCheckMoment;

/* Returns such rows for a moment of a run; NULL: there is no reading of its start. The caller
   unrefs them. What happened between a moment and a reading soon after is estimated. */
GArray *held_check_at(const Session *session, const HeldCheckMoment *moment);

/* Returns a reading of /proc/slabinfo in a stream; free it with slabinfo_free(). */
Slabinfo *slab_reading_of(const Session *session, uint32_t reading);

/* Whether any cache is contradicted; rows may be NULL. */
bool held_check_fails(const GArray *rows);

/* Returns the row that a cache counts in, by its name in slabinfo; NULL: none. rows may be NULL. */
const HeldCheckRow *held_check_find(const GArray *rows, const char *name);

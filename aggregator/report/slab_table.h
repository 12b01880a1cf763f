/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/host_memory_use.h"
#include "names/reclaimable.h"
#include "names/slabinfo.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Two readings of /proc/slabinfo of one host, and the time between them. Borrowed. */
typedef struct {
	const Slabinfo *start;
	const Slabinfo *end;
	uint64_t span_ns; /* 0: not known */
} SlabSpan;

/* What a host's memory was used for at two instants. Borrowed. */
typedef struct {
	HostMemoryUse start;
	HostMemoryUse end;
	uint64_t span_ns; /* between them; 0: not known */
} MemorySpan;

enum { SLAB_TABLE_ROWS = 20 };

/* What a table is made of. Everything is borrowed. */
typedef struct {
	SlabSpan span;
	MemorySpan memory;
	const Reclaimable *reclaimable;
	guint rows_max; /* of each of the two tables */
	unsigned cpus;  /* which hold some free memory each */
	bool human;     /* bytes in KiB, MiB ... */
} SlabTable;

/* A cache in such a table. */
typedef struct {
	const SlabinfoCache *cache; /* of the end */
	double change_bytes;        /* of its objects in use, a second */
} SlabTableRow;

/* Returns the caches that have anything (element-type SlabTableRow), those that the kernel shrinks
   when memory runs short or the others: what grows most first. The caller unrefs it. */
GArray *slab_table_rows(const SlabTable *table, bool reclaimable);

/* Returns what the kernel took outside of slab caches, in bytes, where that is more than slab
   caches grew by, and more than CPUs put aside for later; else 0. */
int64_t slab_table_taken_outside(const SlabTable *table);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "names/cache_names.h"
#include "names/cache_query.h"
#include "names/host_memory_use.h"
#include "names/reclaimable.h"
#include "names/slabinfo.h"
#include "report/source.h"
#include "table/view.h"

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

/* What is compared with the growth of slab caches. Everything is borrowed. */
typedef struct {
	SlabSpan span; /* either reading may be empty: then only what was traced is shown */
	const CacheQuery *query;
	const GArray *traced; /* (element-type RowSums) by index of cache_query_matched() */
	/* Names of the caches all of whose allocations were recorded, ended by NULL; NULL: every
	   one. */
	char *const *recorded;
	/* Every allocation of the host was counted, and none is of an unknown cache: no filter, no
	   sampling, no loss. Only then can what grew by more have come from elsewhere. */
	bool all_traced;
	/* Whose allocations count, "of the chosen processes": what the host grew by is not theirs.
	   NULL: all are. */
	const char *of_whom;
	bool sampled;      /* what was traced is an estimate */
	bool human;        /* bytes in KiB, MiB ... */
	bool some_by_size; /* some of kmalloc's are named by their size: it may be another class */
	bool of_part;      /* allocations were traced for a part of the time between the readings */
	uint64_t cpus;     /* 0: not known. SLUB counts what a CPU holds ready as in use. */
} SlabGrowth;

/* One cache, or all together. Texts are borrowed. */
typedef struct {
	const char *name;  /* not yet escaped; NULL: all */
	const char *alias; /* the name that was asked for, if it is another one; NULL: none */
	uint64_t start;    /* objects in use */
	uint64_t end;
	double bytes; /* of the difference; a recording may have any numbers */
	RowSums traced;
	uint64_t unseen; /* objects that no allocation that was traced made */
	uint64_t ready;  /* that may count as in use while CPUs hold them ready */
	bool is_known;   /* to /proc/slabinfo */
	bool is_recorded;
	bool is_of_part; /* what was traced is of a part of the time between the readings */
} SlabGrowthRow;

/* Returns what of each matched cache counts in a view (element-type RowSums); the caller unrefs
   it. */
GArray *slab_growth_traced(const View *view, const CacheQuery *query);

/* Whether a profile has any allocation whose cache is named so. */
bool slab_growth_any(const Profile *profile, CacheNames *names, CacheOrigin how);

/* Returns a row for each matched cache (element-type SlabGrowthRow), those that changed most
   first, and in *sum all together; the caller unrefs it. */
GArray *slab_growth_rows(const SlabGrowth *growth, SlabGrowthRow *sum);

/* What a stream has of /proc/slabinfo, at its start and at its end. */
typedef struct {
	SlabGrowth growth; /* of the caches that were asked for, with what was traced of them */
	SlabTable table;   /* of all caches: as many rows as the options say, or SLAB_TABLE_ROWS */
	/* Private: what these borrow. */
	Slabinfo *start;
	Slabinfo *end;
	Reclaimable *reclaimable;
	GArray *traced;
	char **recorded;
} SlabReadings;

/* Returns the readings of a source's session, with its growth where caches are asked for. The
   source must outlive the result, which slab_readings_free() frees. */
SlabReadings *slab_readings_new(const ReportSource *source);
void slab_readings_free(SlabReadings *readings);

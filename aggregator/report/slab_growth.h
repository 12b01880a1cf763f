/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "names/cache_names.h"
#include "names/cache_query.h"
#include "table/view.h"
#include "report/slab_table.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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

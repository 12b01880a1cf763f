/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "names/cache_names.h"
#include "names/cache_query.h"
#include "names/cgroup_memory.h"
#include "names/host_state.h"
#include "names/slabinfo.h"
#include "report/held_check.h"
#include "report/source.h"
#include "session/watch_log.h"
#include "table/table.h"
#include "table/view.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Two readings of /proc/slabinfo on a host, and the time between them. Borrowed. */
typedef struct {
	const Slabinfo *start;
	const Slabinfo *end;
	uint64_t span_ns; /* 0: unknown */
} SlabSpan;

/* The memory use of a host at two times. Borrowed. */
typedef struct {
	HostState start;
	HostState end;
	uint64_t span_ns; /* between them; 0: unknown */
} MemorySpan;

/* The kernel memory of a host's cgroups at two times. Borrowed. */
typedef struct {
	const CgroupReading *start; /* both NULL: not read */
	const CgroupReading *end;
	uint64_t span_ns; /* 0: unknown */
} CgroupSpan;

enum { SLAB_TABLE_ROWS = 20 };

typedef struct SlabTableRow SlabTableRow;

/* What a table of caches is ranked by, largest first. */
typedef struct SlabOrder {
	const char *name; /* of -s */
	const char *help;
	double (*figure)(const SlabTableRow *row); /* NULL: by name */
} SlabOrder;

/* All orders, ended by one without a name; the first is the default. */
extern const SlabOrder slab_orders[];

/* Returns their names, "growth, size or name" with " or " before the last. The caller frees them.
 */
char *slab_order_names(const char *last);

/* The input of a table. Everything is borrowed. */
typedef struct {
	SlabSpan span;
	MemorySpan memory;
	CgroupSpan cgroups;
	const Reclaimable *reclaimable;
	const SlabOrder *order; /* NULL: the default */
	const CacheList *list;  /* NULL: other names are unknown */
	guint rows_max;         /* of each of the two tables */
	TerminalSize terminal;  /* for which the text is made, if no number of rows was given */
	unsigned cpus;          /* each may hold some free memory */
	bool human;             /* bytes in KiB, MiB ... */
} SlabTable;

/* Which caches a table has; bits. */
typedef enum { SLABS_KEPT = 1, SLABS_RECLAIMABLE = 2 } SlabKinds;

/* A cache in such a table. */
struct SlabTableRow {
	const char *name;
	bool reclaimable; /* the kernel shrinks it if memory is short */
	uint64_t objects_in_use;
	uint64_t objects; /* for which its slabs have room */
	uint64_t object_bytes;
	uint64_t slab_bytes;
	double grown_bytes;       /* growth of its objects in use */
	double change_bytes;      /* the same, per second */
	const ListedCache *names; /* all names of the cache; NULL: no others are known */
};

/* A part of all memory. */
typedef struct {
	const char *part;  /* its id */
	const char *title; /* for people */
	uint64_t start;
	uint64_t bytes; /* at the end */
	bool has_change;
	double grown_bytes;
	double change_bytes; /* the same, per second */
} BalanceRow;

/* Returns where all memory of the host is (BalanceRow): parts that add up to MemTotal, with what
   stands in no counter. In text the largest comes first, and small parts without a change are one
   row, unless all caches are shown. No rows if total or free memory is unknown. Free it with
   table_free(). */
Table *balance_table_new(const SlabTable *slabs, TableUse use);

/* Whether a text has room for the change in all of the time, beside that of a second. */
bool slab_table_shows_grown(const SlabTable *slabs, unsigned columns_needed);

/* Adds the caches that use memory to a table without rows (SlabTableRow), largest first by its
   order; of two kinds, those that are kept come first, and each has at most rows_max. */
void slab_table_add(Table *table, const SlabTable *slabs, SlabKinds kinds, TableUse use);

/* Finds the cache of a kind that grew most, whatever the order and the number of rows. Returns
   false if none grew by more than what CPUs hold ready. *most borrows from the readings. */
bool slab_table_grown_most(const SlabTable *slabs, bool reclaimable, SlabTableRow *most);

/* A cgroup by its own memory: without that of cgroups below which have a row, too. */
typedef struct {
	const CgroupMemory *cgroup; /* with all below, as the kernel shows it */
	bool is_rest;               /* some below have a row */
	bool has_change;
	bool has_grown; /* by more than CPUs hold ready */
	uint64_t start; /* kernel memory with all below; 0 also if there was no such cgroup */
	uint64_t own_bytes;
	double grown_bytes;  /* of its own memory */
	double change_bytes; /* the same, per second */
} CgroupRow;

/* Returns the cgroups whose own kernel memory changed, or is much (CgroupRow), fastest growth
   first: together they have all of it. No rows if cgroups were not read. The growth of a cgroup is
   that of the deepest for which it is more than noise, so that none above is named for it. Free it
   with table_free(). */
Table *cgroup_table_new(const SlabTable *slabs, TableUse use);

/* Returns the path of the deepest cgroup that has most of the dying ones below, or NULL. */
const char *cgroup_of_most_dying(const CgroupReading *reading);

/* Returns by how many bytes a part of memory may change without a reason: CPUs hold reserves. */
uint64_t slab_table_noise(const SlabTable *table);

/* Returns the bytes that the kernel took outside of slab caches, if they exceed both the growth of
   slab caches and the reserves that CPUs may hold; else 0. */
int64_t slab_table_taken_outside(const SlabTable *table);

/* The input of the comparison with the growth of slab caches. Everything is borrowed. */
typedef struct {
	SlabSpan span; /* either reading may be empty: then only traced numbers are shown */
	const CacheQuery *query;
	const GArray *traced; /* (element-type RowSums) by index of cache_query_matched() */
	/* Names of caches with all allocations recorded, ended by NULL; NULL: all caches. */
	char *const *recorded;
	/* Every allocation of the host was counted, none from an unknown cache: no filter, no
	   sampling, no loss. Only then does additional growth prove other sources. */
	bool all_traced;
	/* Owner of the counted allocations, "of the chosen processes": the host's growth is not
	   theirs alone. NULL: all allocations. */
	const char *of_whom;
	bool sampled;        /* traced numbers are estimates */
	bool is_held;        /* traced numbers are objects held, not allocations */
	bool human;          /* bytes in KiB, MiB ... */
	bool some_by_size;   /* some kmalloc caches were named by size, so the class may be wrong */
	bool of_part;        /* traced for only a part of the time between the readings */
	uint64_t cpus;       /* 0: unknown. SLUB counts objects that a CPU holds ready as in use. */
	bool frees_unseen;   /* held objects may have been freed: not all frees are observed */
	const GArray *check; /* (element-type HeldCheckRow): of what is held; NULL: none */
} SlabGrowth;

/* One cache, or the sum. Texts are borrowed. */
typedef struct {
	const char *name;  /* not yet escaped; NULL: the sum */
	const char *alias; /* the requested name, if it is another one; else NULL */
	uint64_t start;    /* objects in use */
	uint64_t end;
	double bytes; /* of the difference; a double, as a recording may contain any numbers */
	RowSums traced;
	uint64_t unseen;  /* objects in use without a traced allocation */
	uint64_t ready;   /* objects that CPUs may hold ready, which count as in use */
	uint64_t sheaves; /* of these, objects in sheaves */
	bool is_known;    /* /proc/slabinfo has the cache */
	bool is_recorded;
	bool is_of_part;      /* traced for only a part of the time between the readings */
	bool is_contradicted; /* not so many objects can be held */
} SlabGrowthRow;

/* Returns a row for each matched cache (element-type SlabGrowthRow), largest change first, and
   their sum in *sum. The caller unrefs the array. */
GArray *slab_growth_rows(const SlabGrowth *growth, SlabGrowthRow *sum);

/* Returns them as a table; the sum is TABLE_ALL. */
Table *slab_growth_table_new(const SlabGrowth *growth);

/* The readings of /proc/slabinfo in a stream, at its start and its end. */
typedef struct {
	SlabGrowth growth; /* of the requested caches, with their traced allocations */
	SlabTable table;   /* of all caches: rows as in the options, or SLAB_TABLE_ROWS */
	WatchSpan watch;   /* of which watch; no readings: of a run */
	/* Private: data that growth and table borrow. */
	Slabinfo *start;
	Slabinfo *end;
	Reclaimable *reclaimable;
	CacheList *list;
	CgroupReading *cgroups_start;
	CgroupReading *cgroups_end;
	GArray *traced;
	char **recorded;
} SlabReadings;

/* Returns the readings of a source's session, with the growth of requested caches. check: what
   held_check_new() returned. Both must outlive the result; free it with slab_readings_free(). */
SlabReadings *slab_readings_new(const ReportSource *source, const GArray *check);
void slab_readings_free(SlabReadings *readings);

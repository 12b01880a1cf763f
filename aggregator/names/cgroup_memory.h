/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The kernel memory of a host's cgroups at one time, and its text in a stream
 * (KMT_BATCH_CGROUP_MEMORY). Figures of a cgroup contain those of the cgroups below it, unless the
 * reading is flat.
 */
typedef enum {
	/* All memory of the kernel but packets. Before Linux 5.18 v2 does not show it: then the sum
	   of the figures below. */
	CGROUP_KERNEL,
	CGROUP_SOCKETS, /* packets; v1: of TCP, and only where that has a limit */
	/* Only v2 shows these. */
	CGROUP_SLAB_UNRECLAIMABLE,
	CGROUP_SLAB_RECLAIMABLE,
	CGROUP_PER_CPU,
	CGROUP_KERNEL_STACKS,
	CGROUP_PAGE_TABLES,
	CGROUP_VMALLOC,
	/* Cgroups below that were removed, but that something in memory refers to. */
	CGROUP_DYING,
	CGROUP_FIGURES,
} CgroupFigure;

/* Where the kernel shows a figure. */
typedef struct {
	const char *key;  /* in a stream */
	const char *stat; /* start of a line of memory.stat of v2; NULL: not there */
	const char *file; /* of v1; NULL: it has none */
} CgroupFigureKind;

/* By CgroupFigure. */
extern const CgroupFigureKind cgroup_figures[CGROUP_FIGURES];

typedef struct {
	char *path; /* below the root of the hierarchy: "/system.slice"; any bytes, not escaped */
	uint64_t numbers[CGROUP_FIGURES];
	bool known[CGROUP_FIGURES];
} CgroupMemory;

typedef struct {
	uint64_t visible; /* cgroups with a folder, without the topmost one */
	uint64_t dying;   /* removed ones that the kernel has not freed */
	uint64_t unread;  /* cgroups whose memory was not read, as time or number had a bound */
	bool is_visible_known;
	bool is_dying_known;
	bool is_flat; /* figures do not contain those of cgroups below: v1, use_hierarchy 0 */
} CgroupTotals;

/* Append the text of a reading: the totals, then each cgroup. */
void cgroup_totals_append(GString *out, const CgroupTotals *totals);
void cgroup_memory_append(GString *out, const CgroupMemory *cgroup);

/* A parsed reading. */
typedef struct {
	CgroupTotals totals;
	GArray *cgroups;     /* (element-type CgroupMemory), owned */
	GHashTable *by_path; /* (element-type utf8, index + 1), borrows the paths */
} CgroupReading;

/* Parses a text of a stream, which may contain anything; NULL: an empty reading. Skips lines that
   are not of its format; of several lines about one cgroup the first counts. */
CgroupReading *cgroup_reading_new(const GString *text);
void cgroup_reading_free(CgroupReading *reading);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupReading, cgroup_reading_free)

/* Returns the cgroup with this path, or NULL. */
const CgroupMemory *cgroup_reading_find(const CgroupReading *reading, const char *path);

/* Returns all its kernel memory, with packets. */
uint64_t cgroup_kernel_bytes(const CgroupMemory *cgroup);

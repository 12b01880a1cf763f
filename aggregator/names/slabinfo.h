/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Slab caches that the kernel shrinks if memory is short, such as those for copies of disk data:
   all with SLAB_RECLAIM_ACCOUNT, except those of sockets and similar ones, which no shrinker
   frees. */
typedef struct Reclaimable Reclaimable;

/* Returns the caches in the text, one name per line; NULL: the caches known from the kernel's
   source. */
Reclaimable *reclaimable_new(const GString *text);
void reclaimable_free(Reclaimable *reclaimable);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reclaimable, reclaimable_free)

/* Whether the cache of that name is reclaimable. */
bool reclaimable_has(const Reclaimable *reclaimable, const char *cache);

/*
 * Slabinfo is one reading of /proc/slabinfo: the objects in use per slab cache.
 *
 * Copies of a cache for cgroups are added to their cache. On SLUB all objects in the slabs that a
 * CPU holds count as in use, including free objects; so do, since Linux 6.18, free objects in
 * sheaves. A stream has a line "# sheaves: OBJECTS NAME" for each cache that has any: OBJECTS at
 * most.
 */
typedef struct Slabinfo Slabinfo;

typedef struct {
	char *name;                 /* folded, not yet escaped */
	uint64_t objects_in_use;    /* <active_objs> */
	uint64_t objects;           /* capacity of its slabs */
	uint64_t object_bytes;      /* of one object, including its overhead in the slab */
	uint64_t objects_of_a_slab; /* <objperslab> */
	uint64_t slab_bytes;        /* total size of its slabs */
	uint64_t sheaf_objects;     /* free ones in sheaves that may count as in use */
} SlabinfoCache;

/* Parses the text; lines in other formats are skipped. NULL: an empty reading. */
Slabinfo *slabinfo_new(const GString *text, uint64_t page_bytes);
void slabinfo_free(Slabinfo *slabinfo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Slabinfo, slabinfo_free)

/* Appends its caches as lines of /proc/slabinfo, with their sheaves: slabinfo_new() makes the same
   reading of them. */
void slabinfo_append(GString *out, const Slabinfo *slabinfo, uint64_t page_bytes);

/* Results are borrowed; caches are in the order of the text. */
guint slabinfo_count(const Slabinfo *slabinfo);
const SlabinfoCache *slabinfo_at(const Slabinfo *slabinfo, guint index);

/* Returns the cache with this name, or NULL. */
const SlabinfoCache *slabinfo_find(const Slabinfo *slabinfo, const char *name);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

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

/* Results are borrowed; caches are in the order of the text. */
guint slabinfo_count(const Slabinfo *slabinfo);
const SlabinfoCache *slabinfo_at(const Slabinfo *slabinfo, guint index);

/* Returns the cache with this name, or NULL. */
const SlabinfoCache *slabinfo_find(const Slabinfo *slabinfo, const char *name);

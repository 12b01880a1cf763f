/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/*
 * Slabinfo is one reading of /proc/slabinfo: how many objects each slab cache has in use.
 *
 * Copies of a cache for cgroups are summed up under its name. On SLUB the objects of slabs that a
 * CPU holds count as in use, free ones too.
 */
typedef struct Slabinfo Slabinfo;

typedef struct {
	char *name;                 /* folded, not yet escaped */
	uint64_t objects_in_use;    /* <active_objs> */
	uint64_t objects;           /* that its slabs have room for */
	uint64_t object_bytes;      /* of one, with what surrounds it in its slab */
	uint64_t objects_of_a_slab; /* <objperslab> */
	uint64_t slab_bytes;        /* of all its slabs */
} SlabinfoCache;

/* Returns what the text says; lines that are not understood are left out. NULL: an empty reading.
 */
Slabinfo *slabinfo_new(const GString *text, uint64_t page_bytes);
void slabinfo_free(Slabinfo *slabinfo);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Slabinfo, slabinfo_free)

/* What is returned is borrowed; caches are in the order of the text. */
guint slabinfo_count(const Slabinfo *slabinfo);
const SlabinfoCache *slabinfo_at(const Slabinfo *slabinfo, guint index);

/* Returns the cache of that name, or NULL. */
const SlabinfoCache *slabinfo_find(const Slabinfo *slabinfo, const char *name);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/kmalloc_class.h"

#include <glib.h>
#include <stdbool.h>

/*
 * CacheList knows which slab caches a host has, and which names each of them has.
 *
 * Caches that the kernel has merged are one with several names; copies for cgroups are folded into
 * theirs. Names are as the kernel gave them: escape them before they are printed.
 */
typedef struct CacheList CacheList;

typedef struct {
	GPtrArray *names;        /* (element-type utf8), in order; at least one */
	const char *kernel_name; /* the one that the kernel's structure has; NULL: not known */
} ListedCache;

/* Returns the caches of two texts of a stream (KMT_BATCH_CACHE_NAMES, KMT_BATCH_SLABINFO); either
   may be NULL. Only the second shows which name is the kernel's. Names beyond some 10,000 are left
   out. */
CacheList *cache_list_new(const GString *cache_names_text, const GString *slabinfo_text);
void cache_list_free(CacheList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheList, cache_list_free)

/* What is returned is borrowed; the caches are in the order of their names, classes of kmalloc in
   that of their sizes. */
guint cache_list_count(const CacheList *list);
const ListedCache *cache_list_at(const CacheList *list, guint index);

/* Returns the cache of that very name, or NULL. */
const ListedCache *cache_list_find(const CacheList *list, const char *name);

/* Returns the name that this host has for a class of kmalloc, or NULL: it has none. */
const char *cache_list_class_name(const CacheList *list, const KmallocClass *class);

/* Returns the name by which a cache is spoken of: the kernel's where it is known. */
const char *listed_cache_name(const ListedCache *cache);

/* Appends a name, escaped, and the other names of its cache: "filp (also: a, b, c, 2 more)". asked
   is the one that comes first; it and cache may be NULL: nothing more is known. */
void cache_label_append(GString *out, const char *name, const ListedCache *cache,
			const char *asked);

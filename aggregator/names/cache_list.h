/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/kmalloc_class.h"

#include <glib.h>
#include <stdbool.h>

/*
 * CacheList contains the slab caches of a host and all names of each cache.
 *
 * Merged caches are one cache with several names; copies for cgroups are folded into their cache.
 * Names are as the kernel spells them: escape them before printing.
 */
typedef struct CacheList CacheList;

typedef struct {
	GPtrArray *names;        /* (element-type utf8), sorted; at least one */
	const char *kernel_name; /* the name in the kernel's structure; NULL: unknown */
} ListedCache;

/* Returns the caches from two texts of a stream (KMT_BATCH_CACHE_NAMES, KMT_BATCH_SLABINFO); either
   may be NULL. Only the second shows which name is the kernel's. The number of names is limited to
   some 10,000. */
CacheList *cache_list_new(const GString *cache_names_text, const GString *slabinfo_text);
void cache_list_free(CacheList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheList, cache_list_free)

/* Results are borrowed. Caches are sorted by name, kmalloc classes by size. */
guint cache_list_count(const CacheList *list);
const ListedCache *cache_list_at(const CacheList *list, guint index);

/* Returns the cache with exactly this name, or NULL. */
const ListedCache *cache_list_find(const CacheList *list, const char *name);

/* Returns the host's name of a kmalloc class, or NULL if the host lacks it. */
const char *cache_list_class_name(const CacheList *list, const KmallocClass *class);

/* Returns the display name of a cache: the kernel's name, if known. */
const char *listed_cache_name(const ListedCache *cache);

/* Appends a name, escaped, and the other names of its cache: "filp (also: a, b, c, 2 more)". asked
   is listed first. asked and cache may be NULL: unknown. */
void cache_label_append(GString *out, const char *name, const ListedCache *cache,
			const char *asked);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_list.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A CacheQuery is the user's selection of slab caches: a comma-separated list of names and globs.
 *
 * A name may be any name of a merged cache, and any spelling of a kmalloc class; a name that exists
 * on the host selects only that cache. A copy for a cgroup, "dentry(12:user.slice)", selects its
 * cache.
 */
typedef struct CacheQuery CacheQuery;

/* Returns the query for an argument, or NULL with error set if its syntax is wrong: an option
   error. */
CacheQuery *cache_query_new(const char *argument, GError **error);
void cache_query_free(CacheQuery *query);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheQuery, cache_query_free)

/* Finds the selected caches in the list, which may then be freed. With an empty list, names are
   used as given. Returns false if a name or glob matches nothing; error is then one line with the
   nearest names, or with advice if no name is near. Call this once, before the functions below. */
bool cache_query_resolve(CacheQuery *query, const CacheList *list, const char *advice,
			 GError **error);

/* Whether the query selects the cache of this name (without the suffix of a copy). */
bool cache_query_wants(const CacheQuery *query, const char *folded_name);

/* Returns the index of the name's cache in cache_query_matched(); -1: none, or a cache that a glob
   matches but that was created later. */
int cache_query_index(const CacheQuery *query, const char *folded_name);

/* Returns the names for the kernel's structures, ended by NULL, borrowed: at most
   COLLECT_CACHES_MAX. NULL if that is not enough: then the events must be filtered when read. */
char **cache_query_kernel_names(const CacheQuery *query);

/* Returns the display names of the matched caches, not yet escaped (element-type utf8);
   borrowed. */
GPtrArray *cache_query_matched(const CacheQuery *query);

/* Returns the requested name of a matched cache, not yet escaped, if it differs from that in
   cache_query_matched() (another name of a merged cache); else NULL. */
const char *cache_query_alias(const CacheQuery *query, guint index);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_list.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A CacheQuery is what a user asks for: slab caches, as a comma list of names and globs.
 *
 * A name may be any name of a merged cache, and any spelling of a class of kmalloc; one that exists
 * on the host means that cache only. A copy for a cgroup, "dentry(12:user.slice)", means its cache.
 */
typedef struct CacheQuery CacheQuery;

/* Returns the query for an argument, or NULL with error set: its syntax is wrong, which is an error
   of the options. */
CacheQuery *cache_query_new(const char *argument, GError **error);
void cache_query_free(CacheQuery *query);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheQuery, cache_query_free)

/* Finds out which caches of the list it means; the list may be freed then. With an empty list names
   are taken as given. Returns false with error set, one line with the nearest names, or with the
   advice where no name is near, where a name or glob means none. To be called once, before the
   functions below. */
bool cache_query_resolve(CacheQuery *query, const CacheList *list, const char *advice,
			 GError **error);

/* Whether a cache of that name, without what marks a copy, is asked for. */
bool cache_query_wants(const CacheQuery *query, const char *folded_name);

/* Returns which of the matched caches a name is of, as an index of cache_query_matched(); -1: none,
   or a cache that came later and that a glob matches. */
int cache_query_index(const CacheQuery *query, const char *folded_name);

/* Returns the names that the kernel's structures may have, ended by NULL, borrowed: at most
   COLLECT_CACHES_MAX. NULL where that is not enough: what is read must then be filtered. */
char **cache_query_kernel_names(const CacheQuery *query);

/* Returns the caches that matched, each by the name that it is spoken of, not yet escaped
   (element-type utf8); borrowed. */
GPtrArray *cache_query_matched(const CacheQuery *query);

/* Returns the name that a matched cache was asked for by, not yet escaped, where it is not that of
   cache_query_matched(): another name of a merged cache; NULL: none. */
const char *cache_query_alias(const CacheQuery *query, guint index);

/* Appends what matched, as the first line of a report says it: "filp (also: ftrace_event_field),
   kmalloc-192", the first 20 of them. */
void cache_query_append_matched(GString *out, const CacheQuery *query);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "record/run_info.h"
#include "record/run_text.h"

#include <glib.h>

/*
 * CacheNames names the slab caches of a profile as people know them.
 *
 * Per-cgroup copies are folded into their cache; a merged cache shows its other names; where an
 * event has no cache, a class of kmalloc is derived from its size and marked as derived.
 */
typedef struct CacheNames CacheNames;

/* Where a name comes from. */
typedef enum {
	CACHE_RECORDED, /* by the kernel */
	CACHE_BY_SIZE,  /* derived: "kmalloc-192 (by size)" */
	CACHE_UNKNOWN,  /* "(unknown cache)" */
	CACHE_PAGES,    /* "(pages)": the page allocator's own, of no cache */
} CacheOrigin;
enum { CACHE_ORIGINS = CACHE_PAGES + 1 };

typedef struct {
	/* As printed, escaped: "filp (also: ftrace_event_field)". Equal caches have one pointer. */
	const char *label;
	/* The folded name alone, escaped: "filp"; NULL: not known. Equal names have one pointer. */
	const char *name;
	CacheOrigin origin;
} CacheLabel;

/* Everything is borrowed until cache_names_free(). */
CacheNames *cache_names_new(const Profile *profile, const RunInfo *info, const RunText *text);
void cache_names_free(CacheNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheNames, cache_names_free)

/* Returns the name of the cache of an origin; its texts live as long as the names. */
CacheLabel cache_names_of(CacheNames *names, const ProfileOrigin *origin);

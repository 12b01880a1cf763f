/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "record/run_info.h"
#include "record/run_text.h"

#include <glib.h>

/*
 * CacheNames maps the slab caches of a profile to labels.
 *
 * Per-cgroup copies are folded into their cache. The label of a merged cache shows its other names.
 * If an event has no cache, a kmalloc class is derived from its size, and marked as derived.
 */
typedef struct CacheNames CacheNames;

/* What follows the label of a cache that was derived from a size. */
#define CACHE_BY_SIZE_MARK " (by size)"

/* The source of a name. */
typedef enum {
	CACHE_RECORDED, /* reported by the kernel */
	CACHE_BY_SIZE,  /* derived: "kmalloc-192 (by size)" */
	CACHE_UNKNOWN,  /* "(unknown cache)" */
	CACHE_PAGES,    /* "(pages)", "(per-CPU)", "(vmalloc)": without a cache */
} CacheOrigin;
enum { CACHE_ORIGINS = CACHE_PAGES + 1 };

typedef struct {
	/* As printed, escaped: "filp (also: ftrace_event_field)". Equal caches share one
	   pointer. */
	const char *label;
	/* The folded name alone, escaped: "filp"; NULL: unknown. Equal names share one pointer. */
	const char *name;
	CacheOrigin origin;
} CacheLabel;

/* Everything is borrowed until cache_names_free(). */
CacheNames *cache_names_new(const Profile *profile, const RunInfo *info, const RunText *text);
void cache_names_free(CacheNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheNames, cache_names_free)

/* Returns the label of an origin's cache; its texts live as long as names. */
CacheLabel cache_names_of(CacheNames *names, const ProfileOrigin *origin);

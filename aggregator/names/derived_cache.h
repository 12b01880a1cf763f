/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "names/cache_list.h"
#include "record/run_info.h"

#include <glib.h>
#include <stdbool.h>

/*
 * DerivedCache finds the kmalloc class that an allocation must have come from, by its size and gfp
 * flags, where the event does not have it. Where a kernel spreads a size over random copies or
 * buckets, it does not distinguish them.
 */
typedef struct DerivedCache DerivedCache;

/* The list has the classes of the host and their spelling; with an empty one, the classes are those
   of the kernel's release. Both are borrowed. */
DerivedCache *derived_cache_new(const CacheList *list, const RunInfo *info);
void derived_cache_free(DerivedCache *derived);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DerivedCache, derived_cache_free)

/* Appends the name of the class, "kmalloc-cg-192", or "kmalloc-large". Returns false, appending
   nothing, where the origin is no kmalloc or has no sizes. */
bool derived_cache_append(const DerivedCache *derived, const ProfileOrigin *origin, GString *out);

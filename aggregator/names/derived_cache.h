/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "names/cache_list.h"
#include "record/run_info.h"

#include <glib.h>
#include <stdbool.h>

/*
 * DerivedCache tells which class of kmalloc an allocation must have come from, by its size and gfp
 * flags, where the event does not say it. It is no more than that: where a kernel spreads a size
 * over random copies or buckets, they are not told apart.
 */
typedef struct DerivedCache DerivedCache;

/* The list tells which classes the host has and how it spells them; an empty one leaves what
   kernels of that release have. Both are borrowed. */
DerivedCache *derived_cache_new(const CacheList *list, const RunInfo *info);
void derived_cache_free(DerivedCache *derived);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(DerivedCache, derived_cache_free)

/* Appends the name of the class, "kmalloc-cg-192", or "kmalloc-large". Returns false, appending
   nothing, where the origin is no kmalloc or has no sizes. */
bool derived_cache_append(const DerivedCache *derived, const ProfileOrigin *origin, GString *out);

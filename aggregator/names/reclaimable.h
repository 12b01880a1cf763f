/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Slab caches that the kernel shrinks if memory is short, such as those for copies of disk data:
   all with SLAB_RECLAIM_ACCOUNT, except those of sockets and similar ones, which no shrinker
   frees. */
typedef struct Reclaimable Reclaimable;

/* Returns the caches in the text, one name per line; NULL: the caches known from the kernel's
   source. */
Reclaimable *reclaimable_new(const GString *text);
void reclaimable_free(Reclaimable *reclaimable);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reclaimable, reclaimable_free)

/* Whether the cache of that name is reclaimable. */
bool reclaimable_has(const Reclaimable *reclaimable, const char *cache);

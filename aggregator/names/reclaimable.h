/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* Which slab caches hold what the kernel drops when memory runs short, as copies of what is on
   disk: those with SLAB_RECLAIM_ACCOUNT, but for those of sockets and the like, which no shrinker
   frees. */
typedef struct Reclaimable Reclaimable;

/* Returns those of the text, one name a line; NULL: of the caches whose names are known from the
   kernel's source. */
Reclaimable *reclaimable_new(const GString *text);
void reclaimable_free(Reclaimable *reclaimable);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reclaimable, reclaimable_free)

bool reclaimable_has(const Reclaimable *reclaimable, const char *cache);

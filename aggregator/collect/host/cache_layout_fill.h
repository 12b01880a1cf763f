/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/cache_layout.h"

/* The structures that a layout is about; ended by NULL. A kernel need not have all of them. */
extern const char *const cache_layout_structures[];

/* Returns the offset of a member, those in anonymous members among them; CACHE_LAYOUT_UNKNOWN: the
   structure has none of that name. */
typedef long (*CacheMemberOffset)(const void *structure, const char *member);

/* Asks the structure of that name for what is not known yet. */
void cache_layout_fill(CacheLayout *layout, const char *name, CacheMemberOffset offset_of,
		       const void *structure);

/* Whether all is known. */
bool cache_layout_is_whole(const CacheLayout *layout);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/slabs/cache_layout.h"

/* The structures that a layout describes; NULL-terminated. A kernel may lack some. */
extern const char *const cache_layout_structures[];

/* Returns the offset of a member, also inside anonymous members; CACHE_LAYOUT_UNKNOWN: no such
   member. member NULL: returns the size of the structure. */
typedef long (*CacheMemberOffset)(const void *structure, const char *member);

/* Fills the unknown offsets from the structure of that name. */
void cache_layout_fill(CacheLayout *layout, const char *name, CacheMemberOffset offset_of,
		       const void *structure);

/* Whether all offsets are known, except optional ones. */
bool cache_layout_is_whole(const CacheLayout *layout);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stddef.h>
#include <string.h>

/* Returns the length of the cache's own name in a name. Before 5.9, kernels have copies of a cache
   for cgroups, such as "dentry(12:user.slice)"; the cgroup's name may be cut anywhere.
   "size-32(DMA)" is not a copy. */
static inline size_t cache_name_folded_bytes(const char *name)
{
	const char *copy = strchr(name, '(');
	size_t digits = copy ? strspn(copy + 1, "0123456789") : 0;

	return digits && copy[1 + digits] == ':' ? (size_t)(copy - name) : strlen(name);
}

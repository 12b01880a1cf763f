/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/* What a host's memory is used for, by /proc/meminfo. */
typedef enum {
	MEMORY_AVAILABLE,
	MEMORY_SLAB_UNRECLAIMABLE,
	MEMORY_SLAB_RECLAIMABLE,
	MEMORY_VMALLOC,
	MEMORY_PER_CPU,
	MEMORY_PAGE_TABLES,
	MEMORY_USES_SHOWN,
	/* Of processes and files: not the kernel's own. */
	MEMORY_ANONYMOUS = MEMORY_USES_SHOWN,
	MEMORY_SHARED,
	MEMORY_USES,
} MemoryUse;

#define MEMORY_UNKNOWN (-1)

typedef struct {
	int64_t bytes[MEMORY_USES]; /* MEMORY_UNKNOWN: the kernel does not say */
} HostMemoryUse;

/* Reads the text of /proc/meminfo; NULL: nothing is known. */
HostMemoryUse host_memory_use_parse(const GString *text);

/* Returns how much more the kernel took outside of slab caches, from the one instant to the other:
   what is no longer available, less what slab caches, processes and shared memory took. It may be
   negative; 0 where that is not known. */
int64_t host_memory_use_outside_slab(const HostMemoryUse *start, const HostMemoryUse *end);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdint.h>

/* The uses of a host's memory, from /proc/meminfo. */
typedef enum {
	MEMORY_AVAILABLE,
	MEMORY_SLAB_UNRECLAIMABLE,
	MEMORY_SLAB_RECLAIMABLE,
	MEMORY_VMALLOC,
	MEMORY_PER_CPU,
	MEMORY_PAGE_TABLES,
	MEMORY_USES_SHOWN,
	/* For processes and files, not for the kernel. */
	MEMORY_ANONYMOUS = MEMORY_USES_SHOWN,
	MEMORY_SHARED,
	MEMORY_USES,
} MemoryUse;

#define MEMORY_UNKNOWN (-1)

typedef struct {
	int64_t bytes[MEMORY_USES]; /* MEMORY_UNKNOWN: not in /proc/meminfo */
} HostMemoryUse;

/* Parses the text of /proc/meminfo; NULL: all values are unknown. */
HostMemoryUse host_memory_use_parse(const GString *text);

/* Returns how much more memory the kernel uses outside of slab caches at the end than at the start:
   the decrease of available memory, minus the growth of slab caches, processes and shared memory.
   May be negative; 0 if unknown. */
int64_t host_memory_use_outside_slab(const HostMemoryUse *start, const HostMemoryUse *end);

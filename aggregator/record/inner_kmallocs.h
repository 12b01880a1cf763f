/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Since Linux 6.11 the kernel traces one kmalloc() above two pages twice: __do_kmalloc_node()
 * (mm/slub.c) calls __kmalloc_large_node_noprof(), which traces the allocation, and then traces it
 * itself. The first of these events, the inner one, must not count.
 *
 * The inner event is recognised alone, by its call site: that lies in a function of the allocator
 * that contains __do_kmalloc_node(), which is always inlined. The call site of the other event lies
 * in the caller of kmalloc(); so does that of a large kmalloc() of constant size, which is traced
 * once.
 */
enum { INNER_RANGES_MAX = 4 };

typedef struct {
	uint64_t start;
	uint64_t end; /* the first address after it */
} InnerRange;

typedef struct {
	uint64_t bytes_small_max; /* requests up to this size have no inner event */
	uint64_t kfree;           /* address of kfree(), for who needs the ranges relative to it */
	unsigned count;           /* 0: no event is an inner one */
	InnerRange ranges[INNER_RANGES_MAX];
} InnerKmallocs;

/* Whether an event of the tracepoint kmalloc is an inner one. inner NULL: none is. */
static inline bool inner_kmallocs_have(const InnerKmallocs *inner, uint64_t call_site,
				       uint64_t bytes_requested)
{
	if (!inner || bytes_requested <= inner->bytes_small_max)
		return false;
	for (unsigned i = 0; i < inner->count; i++)
		if (call_site >= inner->ranges[i].start && call_site < inner->ranges[i].end)
			return true;
	return false;
}

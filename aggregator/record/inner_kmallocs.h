/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * Since Linux 6.11 the kernel traces one kmalloc() above two pages twice: __do_kmalloc_node()
 * (mm/slub.c) calls __kmalloc_large_node_noprof(), which traces the allocation, and then traces it
 * itself. The first event, the inner one, must not count.
 *
 * Only the call site identifies the inner event: it lies in an allocator function that contains the
 * always inlined __do_kmalloc_node(). The call site of the second event lies in the caller of
 * kmalloc(), and so does that of a large kmalloc() of constant size, which is traced once.
 */
enum { INNER_RANGES_MAX = 4 };

typedef struct {
	uint64_t start;
	uint64_t end; /* exclusive */
} InnerRange;

typedef struct {
	uint64_t bytes_small_max; /* requests up to this size have no inner event */
	uint64_t kfree;           /* address of kfree(), for users that need relative ranges */
	unsigned count;           /* 0: no event is an inner event */
	InnerRange ranges[INNER_RANGES_MAX];
} InnerKmallocs;

/* Whether a kmalloc tracepoint event is an inner event. inner NULL: false. */
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

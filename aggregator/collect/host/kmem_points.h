/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/tracepoint_format.h"
#include "record/event_writer.h"
#include "record/probe_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The tracepoints of the group kmem that answer what --events asks for, as this kernel has them,
 * and how their raw records become events.
 */

/* A tracepoint on this kernel. */
typedef struct {
	const ProbePoint *type;
	unsigned event;                               /* its kind: a bit of ProbeKindBit */
	unsigned number;                              /* its place among those that were opened */
	TracepointFormat *format;                     /* owned */
	const TracepointField *fields[PROBE_MEMBERS]; /* of the format; NULL: not recorded */
	const TracepointField *cache_name;            /* likewise */
	uint32_t raw_bytes_min;                       /* a shorter record is a damaged one */
	unsigned page_shift;
} KmemPoint;

/* Opens those that answer the events (bits of ProbeKindBit), of the folder events/kmem, which is
   borrowed. Returns (element-type KmemPoint), to be freed with g_ptr_array_unref(), or NULL with
   error set: one is missing, or what a file says makes no sense. */
GPtrArray *kmem_points_open(int kmem_folder_fd, unsigned events, GError **error);

/* Whether the events of allocations from slab caches lack the name of the cache. */
bool kmem_points_lack_caches(const GPtrArray *points);

/* Returns the point whose records begin with this common_type, or NULL. */
static inline const KmemPoint *kmem_points_lookup(const GPtrArray *points, uint16_t common_type)
{
	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (point->format->id == common_type)
			return point;
	}
	return NULL;
}

/* The common_type of a raw record, which has at least two bytes. */
static inline uint16_t kmem_raw_common_type(const uint8_t *raw)
{
	return load_u16(raw, false);
}

/*
 * Makes an event of a raw record. Returns false when there is none: the record is shorter than
 * point->raw_bytes_min or its page order is impossible (damaged), or it is a free of no memory,
 * kfree(NULL) and kfree(ZERO_SIZE_PTR), which the tracepoints record as well.
 *
 * What this kernel does not record is 0 in the facts, node -1, context that of a task, and pointer
 * UINT64_MAX, so that no allocation counts as failed; kmem_points_missing() says which. Pages are
 * counted by their physical address, the page's number times the size of a page, and have no call
 * site. Where the record has the cache's name, it is put into the cache, which must live as
 * long as the facts; without its sizes, which records of frees do not have.
 */
bool kmem_point_read(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
		     EventFacts *facts, EventCache *cache);

/* Returns in which context a kprobe was hit, by the common_flags of its record (enum KmtContext).
 */
uint8_t kmem_context_of_probe(uint64_t common_flags);

/* Makes a cache of what a record has as its name, a longer one cut. Returns false when that is
   none: empty, or what the kernel writes where it could not be read. */
bool kmem_cache_named(EventCache *cache, const char *name, uint32_t length);

/* Returns what this kernel does not record of what these points should have,
   "kmalloc: bytes_alloc; kfree: call_site, ptr"; NULL when it is all there. The caller frees it. */
char *kmem_points_missing(const GPtrArray *points);

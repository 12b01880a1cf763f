/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tracefs/tracepoint_format.h"
#include "record/event_writer.h"
#include "record/probe_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The tracepoints for --events, in the form that this kernel has, and the
 * conversion of their raw records to events.
 */

enum { KMEM_POINTERS_MAX = 64 }; /* in a record of several objects; the kernel's limit */

/* A tracepoint, or a kprobe (slab_probes.h), on this kernel. */
typedef struct {
	const ProbePoint *type;
	uint16_t id;                                  /* common_type of its records */
	unsigned event;                               /* a bit of ProbeKindBit */
	unsigned number;                              /* its index among the opened points */
	TracepointFormat *format;                     /* owned */
	const TracepointField *fields[PROBE_MEMBERS]; /* NULL: not recorded */
	const TracepointField *cache_name;            /* NULL: not recorded */
	const TracepointField *failed;                /* of a vmalloc range; NULL: none */
	/* Of a kprobe only; NULL: none. */
	const TracepointField *head;     /* see read_head() */
	const TracepointField *count;    /* of objects ... */
	const TracepointField *done;     /* ... unless this is 0 ... */
	const TracepointField *pointers; /* ... and the pointers of the first ones */
	bool is_kprobe;
	uint32_t raw_bytes_min; /* a shorter record is damaged */
	unsigned page_shift;
	uint64_t cpus_possible;
} KmemPoint;

/* Opens the tracepoints for the events (bits of ProbeKindBit; held: see probe_point_is_observed())
   beside the folder events/kmem, which is borrowed. Returns (element-type KmemPoint), to be freed
   with g_ptr_array_unref(), or NULL with error set if one is missing or a format file is invalid.
 */
GPtrArray *kmem_points_open(int kmem_folder_fd, unsigned events, bool held, GError **error);

/* Returns false with error set if the kernel lacks a tracepoint that these events need. kmem_folder
   is the path of the folder events/kmem. */
bool kmem_points_are_there(const char *kmem_folder, unsigned events, GError **error);

/* Frees a KmemPoint. A GDestroyNotify. */
void kmem_point_free(void *point);

/* Returns the point of a kprobe whose records have this layout. Their fields are named like those
   of tracepoints, or "head", "count" and "pointers". Takes ownership of the format. */
KmemPoint *kmem_point_new_kprobe(const ProbePoint *type, TracepointFormat *format);

/* Appends a point and numbers it. Takes ownership. */
void kmem_points_add(GPtrArray *points, KmemPoint *point);

/* Whether the events of slab cache allocations lack the name of the cache. */
bool kmem_points_lack_caches(const GPtrArray *points);

/* Returns the point with this common_type, or NULL. */
static inline const KmemPoint *kmem_points_lookup(const GPtrArray *points, uint16_t common_type)
{
	for (guint i = 0; i < points->len; i++) {
		const KmemPoint *point = points->pdata[i];

		if (point->id == common_type)
			return point;
	}
	return NULL;
}

/* Returns the common_type of a raw record, which has at least two bytes. */
static inline uint16_t kmem_raw_common_type(const uint8_t *raw)
{
	return load_u16(raw, false);
}

/*
 * Converts a raw record to an event. Returns false if the record is damaged (shorter than
 * point->raw_bytes_min, or an impossible page order), or is a free of no memory: the tracepoints
 * also record kfree(NULL) and kfree(ZERO_SIZE_PTR).
 *
 * Facts that this kernel does not record are 0, except: node -1, context that of a task, pointer
 * UINT64_MAX (so that no allocation counts as failed). kmem_points_missing() lists them. Pages are
 * identified by their physical address (page number times page size) and have no call site. If the
 * record has the cache's name, the name is put into the cache, which must live as long as the
 * facts. The cache gets no sizes, because records of frees lack them.
 */
bool kmem_point_read(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
		     EventFacts *facts, EventCache *cache);

/* Reads the pointers of a record of several objects, at most KMEM_POINTERS_MAX. Returns how many
   objects there are. */
uint64_t kmem_point_read_pointers(const KmemPoint *point, const uint8_t *raw, uint32_t raw_bytes,
				  uint64_t pointers[KMEM_POINTERS_MAX]);

/* Returns the context in which a kprobe was hit (enum KmtContext), from the common_flags of its
   record. */
uint8_t kmem_context_of_probe(uint64_t common_flags);

/* Makes a cache from the name in a record; cuts a longer one. Returns false if the name is empty or
   the kernel's text for an unreadable name. */
bool kmem_cache_named(EventCache *cache, const char *name, uint32_t length);

/* Returns the expected fields that this kernel does not record, "kmalloc: bytes_alloc; kfree:
   call_site, ptr"; NULL: all are recorded. The caller frees it. */
char *kmem_points_missing(const GPtrArray *points);

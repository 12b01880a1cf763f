/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_kinds.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The task, cache and stack of an event, as its readers and writers use them. */

/* The task of an event. */
typedef struct {
	uint32_t tgid;
	uint32_t tid;
	uint64_t start_time_ns; /* as in struct KmtTask */
	uint64_t cgroup_id;     /* as in struct KmtTask */
	char comm[KMT_COMM_BYTES];
	char leader[KMT_COMM_BYTES]; /* as in struct KmtTask */
} EventTask;

/* A slab cache. Several definitions may have the same content. */
typedef struct {
	uint32_t object_bytes; /* as in struct KmtCache */
	uint32_t slot_bytes;   /* as in struct KmtCache */
	uint16_t name_bytes;   /* 1 to KMT_CACHE_NAME_BYTES_MAX */
	char name[KMT_CACHE_NAME_BYTES_MAX];
} EventCache;

/* Equal events with a stack as text: one frame per line. All pointers are borrowed; members that
   are not set are 0. */
typedef struct {
	const char *text;
	uint32_t length;
	uint64_t weight;
	const EventTask *task;    /* NULL: unknown */
	const EventCache *cache;  /* NULL: unknown */
	uint64_t bytes_requested; /* of one event */
	uint64_t bytes_allocated;
	uint64_t time_ns;    /* on the clock of the text; 0: unknown */
	uint64_t pointer;    /* of a single event; 0: unknown */
	bool failed;         /* the allocator returned NULL */
	uint32_t cpu;        /* of a single event */
	uint32_t gfp_flags;  /* in the bits of the fields KMT_FIELD_GFP_* */
	uint8_t source;      /* enum KmtSource; 0: unknown */
	uint8_t kind;        /* enum KmtOriginKind */
	bool free;           /* a free, not an allocation */
	bool over_bound;     /* there is no room for the stack, which is not given */
	bool held;           /* objects held when the text was written, not allocations of a run */
	uint64_t age_min_ns; /* of held objects at that time; both 0: unknown */
	uint64_t age_max_ns;
} EventText;

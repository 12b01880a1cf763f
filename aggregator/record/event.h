/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What writers and readers of events say of them. */

/* Whose event it is. */
typedef struct {
	uint32_t tgid;
	uint32_t tid;
	uint64_t start_time_ns; /* as in struct KmtTask */
	uint64_t cgroup_id;     /* likewise */
	char comm[KMT_COMM_BYTES];
	char leader[KMT_COMM_BYTES]; /* as in struct KmtTask */
} EventTask;

/* A slab cache. Two of the same content may come as two. */
typedef struct {
	uint32_t object_bytes; /* as in struct KmtCache */
	uint32_t slot_bytes;   /* likewise */
	uint16_t name_bytes;   /* 1 to KMT_CACHE_NAME_BYTES_MAX */
	char name[KMT_CACHE_NAME_BYTES_MAX];
} EventCache;

/* Equal events of a stack that came as text: lines of frames. Everything is borrowed. */
typedef struct {
	const char *text;
	uint32_t length;
	uint64_t weight;
	const EventTask *task;    /* NULL: not known */
	const EventCache *cache;  /* NULL: not known */
	uint64_t bytes_requested; /* of one event */
	uint64_t bytes_allocated;
	uint64_t time_ns;   /* on the clock of the text; 0: not known */
	uint32_t gfp_flags; /* in the bits that the fields KMT_FIELD_GFP_* name */
	uint8_t source;     /* enum KmtSource; 0: not known */
} EventText;

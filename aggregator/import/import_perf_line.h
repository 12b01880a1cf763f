/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event.h"
#include "record/probe_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Appends the kernel frame of a line to a stack; of a frame of user space nothing. *in_user: the
 * previous frame of this stack was one, which is updated. An address without a name then is the
 * program's, too: where the walk of a user stack fails, it is any number. Returns false if the line
 * is no frame.
 */
bool perf_frame_read(GString *stack, const char *line, size_t length, bool *in_user);

/* One line of `perf script` above a stack: a sample, or a record of perf itself. */

/* The flags that determine the kmalloc class, as our own bits, because the bits differ between
   kernels. */
enum { GFP_BIT_DMA = 1, GFP_BIT_RECLAIMABLE = 2, GFP_BIT_ACCOUNT = 4 };

typedef struct {
	EventTask task;
	bool has_task;    /* false: unknown */
	EventCache cache; /* without a name if the event lacks it */
	uint64_t time_ns;
	uint64_t period; /* number of events that it stands for */
	uint64_t
		bytes_requested; /* of pages 0, as in the next two: their size is not in the text */
	uint64_t bytes_allocated;
	uint64_t pointer;   /* 0: unknown */
	uint64_t page;      /* number of the first page; 0: unknown */
	unsigned order;     /* 2^order pages */
	bool failed;        /* the allocator returned NULL */
	uint32_t gfp_flags; /* GFP_BIT_… */
	uint32_t cpu;
	const ProbePoint *point; /* NULL: not an event of an allocator */
	const char *call_site;   /* as printed; points into the line */
	size_t call_site_bytes;
	bool is_record; /* PERF_RECORD_...: not a sample */
	uint64_t lost;  /* events that this record says were lost */
} PerfSample;

/* Reads a line. Returns false if it is none of these. */
bool perf_sample_read(const char *line, size_t length, PerfSample *sample);

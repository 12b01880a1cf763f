/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"
#include "collect/run/run_memory.h"

#include <glib.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A ring buffer of perf event records, mapped into this program. The kernel writes at its head, the
 * program reads from its tail (struct perf_event_mmap_page, since 2.6.31).
 */
typedef struct {
	struct perf_event_mmap_page *control; /* NULL: not mapped */
	const uint8_t *data;
	size_t data_bytes; /* a power of two */
	uint64_t tail;     /* next read position, in bytes since the start */
	uint8_t *room;     /* owned: for a record that wraps at the end; NULL: none so far */
} PerfRing;

/* Maps the ring of an event. data_bytes is a power of two of whole pages. Returns false with errno
   set. */
bool perf_ring_map(PerfRing *ring, int fd, size_t data_bytes);
void perf_ring_unmap(PerfRing *ring);

/* Returns the end of the newest complete record, for perf_ring_read(). */
uint64_t perf_ring_head(const PerfRing *ring);

/* Called for each record. The record is complete, and valid only during the call. The call may read
   other rings. */
typedef void (*PerfRecordVisitor)(const struct perf_event_header *record, void *user_data);

/* Visits the records up to that head, and returns their space to the kernel. Returns false if the
   ring is inconsistent; then everything up to the head is skipped. */
bool perf_ring_read(PerfRing *ring, uint64_t head, PerfRecordVisitor visit, void *user_data);

/* Returns the size of a CPU's ring for the ends of slabs, beside one of ring_bytes for samples. */
size_t perf_plan_slab_ring(size_t ring_bytes);

/* Plans the rings of that many CPUs. As buffer_plan_init(). */
bool perf_plan_buffers(BufferPlan *plan, const CollectBounds *bounds, unsigned cpus,
		       uint64_t available_bytes, GError **error);

/*
 * A kernel that cannot time perf events by CLOCK_MONOTONIC (perf_event_attr.use_clockid, since 4.1)
 * uses the scheduler's clock, which runs at the same rate. An event of our own between two readings
 * of CLOCK_MONOTONIC gives the offset.
 */

/* Sets the offset to add to perf's times to get CLOCK_MONOTONIC. Returns false if it cannot be
   measured. */
bool perf_clock_offset(int64_t *offset_ns);

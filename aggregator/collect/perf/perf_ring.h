/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"
#include "collect/stap/buffer_plan.h"

#include <glib.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A ring buffer that the kernel fills with records of perf events, mapped into this program: the
 * kernel writes at its head, we read from its tail (struct perf_event_mmap_page, since 2.6.31).
 */
typedef struct {
	struct perf_event_mmap_page *control; /* NULL: not mapped */
	const uint8_t *data;
	size_t data_bytes; /* a power of two */
	uint64_t tail;     /* where we read next; counts bytes since the start */
} PerfRing;

/* Maps the ring of an event. data_bytes is a power of two of whole pages. Returns false with errno
   set. */
bool perf_ring_map(PerfRing *ring, int fd, size_t data_bytes);
void perf_ring_unmap(PerfRing *ring);

/* Returns where the kernel's newest whole record ends; for perf_ring_read(). */
uint64_t perf_ring_head(const PerfRing *ring);

/* Called for each record, which is whole and valid for the call only. */
typedef void (*PerfRecordVisitor)(const struct perf_event_header *record, void *user_data);

/* Visits the records up to that head, and gives their room back to the kernel. Returns false when
   the ring makes no sense; then everything up to the head is skipped. */
bool perf_ring_read(PerfRing *ring, uint64_t head, PerfRecordVisitor visit, void *user_data);

/* Plans the rings of so many CPUs. As buffer_plan_init(). */
bool perf_plan_buffers(BufferPlan *plan, const CollectRequest *request, unsigned cpus,
		       uint64_t available_bytes, GError **error);

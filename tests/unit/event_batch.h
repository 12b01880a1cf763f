/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>

/* Builds batches of events byte by byte, as the emitter would, for the tests of the readers. */
typedef struct {
	GByteArray *bytes;
	size_t start; /* of the batch being built */
	uint16_t tasks, stacks, caches, origins;
} EventBatch;

static inline struct KmtBatchHeader *event_batch_header(EventBatch *batch)
{
	return (struct KmtBatchHeader *)(batch->bytes->data + batch->start);
}

/* Begins a batch at the end of bytes; counters other than the events' are the caller's to set. */
static inline EventBatch event_batch_begin(GByteArray *bytes, uint32_t cpu, uint32_t number,
					   uint64_t base_time_ns)
{
	EventBatch batch = { .bytes = bytes, .start = bytes->len };
	const struct KmtBatchHeader header = {
		.magic = KMT_MAGIC,
		.version = KMT_VERSION,
		.word_bytes = 8,
		.header_bytes = sizeof(header),
		.kind = KMT_BATCH_EVENTS,
		.field_set = KMT_FIELD_SET,
		.cpu = cpu,
		.batch_number = number,
		.base_time_ns = base_time_ns,
		.frame_base = 0xffffffff00000000ULL,
		.sampling_period = 1,
	};

	g_byte_array_append(bytes, (const guint8 *)&header, sizeof(header));
	return batch;
}

static inline void event_batch_add(EventBatch *batch, void *record, size_t bytes, uint8_t type,
				   uint16_t index)
{
	struct KmtRecordHead *head = record;
	static const guint8 zeros[8];

	head->type = type;
	head->units = (uint8_t)((bytes + 7) / 8);
	head->index = index;
	g_byte_array_append(batch->bytes, record, (guint)bytes);
	g_byte_array_append(batch->bytes, zeros, (guint)(head->units * 8U - bytes));
}

static inline void event_batch_task(EventBatch *batch, uint32_t tgid, const char *comm)
{
	struct KmtTask task = { .tgid = tgid, .tid = tgid, .start_time_ns = 1000 + tgid };

	g_strlcpy(task.comm, comm, sizeof(task.comm));
	event_batch_add(batch, &task, sizeof(task), KMT_RECORD_TASK, batch->tasks++);
}

/* The origins that follow are of this cache. */
static inline void event_batch_cache(EventBatch *batch, const char *name, uint32_t object_bytes,
				     uint32_t slot_bytes)
{
	struct {
		struct KmtCache cache;
		char name[KMT_CACHE_NAME_BYTES_MAX + 1];
	} record = {
		.cache = {
			.object_bytes = object_bytes,
			.slot_bytes = slot_bytes,
			.name_bytes = (uint16_t)strlen(name),
		},
	};

	g_strlcpy(record.name, name, sizeof(record.name));
	event_batch_add(batch, &record, sizeof(record.cache) + record.cache.name_bytes,
			KMT_RECORD_CACHE, batch->caches++);
}

/* A stack of 4-byte frames and an origin of it. Returns the origin's index. */
static inline uint16_t event_batch_origin(EventBatch *batch, const uint32_t *frames, uint16_t depth,
					  uint64_t bytes_requested, uint64_t bytes_allocated)
{
	struct {
		struct KmtStack stack;
		uint32_t frames[KMT_STACK_DEPTH_MAX];
	} stack = { .stack = { .depth = depth } };
	struct KmtOrigin origin = {
		.stack = batch->stacks,
		.cache = batch->caches ? (uint16_t)(batch->caches - 1) : KMT_NONE,
		.call_site = 0xffffffff00000000ULL + frames[0],
		.bytes_requested = bytes_requested,
		.bytes_allocated = bytes_allocated,
		.node = -1,
		.source = KMT_SOURCE_KMALLOC,
	};

	memcpy(stack.frames, frames, depth * sizeof(*frames));
	event_batch_add(batch, &stack, sizeof(stack.stack) + depth * sizeof(*frames),
			KMT_RECORD_STACK4, batch->stacks++);
	event_batch_add(batch, &origin, sizeof(origin), KMT_RECORD_ORIGIN, batch->origins);
	return batch->origins++;
}

static inline void event_batch_event(EventBatch *batch, uint8_t type, uint16_t origin,
				     uint32_t delta_ns, enum KmtContext context, uint64_t pointer)
{
	struct KmtEvent event = {
		.when = delta_ns | (uint32_t)context << KMT_CONTEXT_SHIFT,
		.pointer = pointer,
	};

	event_batch_add(batch, &event, sizeof(event), type, origin);
	event_batch_header(batch)->events++;
}

/* A record that stands for so many allocations. */
static inline void event_batch_repeated(EventBatch *batch, uint16_t origin, uint32_t delta_ns,
					uint32_t events, uint32_t span_ns)
{
	struct KmtRepeated repeated = { .when = delta_ns, .events = events, .span_ns = span_ns };

	event_batch_add(batch, &repeated, sizeof(repeated), KMT_RECORD_REPEATED, origin);
	event_batch_header(batch)->events += events;
}

static inline void event_batch_heartbeat(EventBatch *batch, uint64_t complete_until_ns,
					 uint64_t skipped, uint64_t probe_ns)
{
	struct KmtHeartbeat beat = {
		.complete_until_ns = complete_until_ns,
		.skipped = skipped,
		.probe_ns = probe_ns,
	};

	event_batch_add(batch, &beat, sizeof(beat), KMT_RECORD_HEARTBEAT, 0);
	event_batch_header(batch)->heartbeats++;
}

/* Ends the batch; events_total is what this CPU has produced including this batch. */
static inline void event_batch_end(EventBatch *batch, uint64_t events_total)
{
	const struct KmtBatchTrailer trailer = { KMT_END_MAGIC,
						 event_batch_header(batch)->batch_number };

	g_byte_array_append(batch->bytes, (const guint8 *)&trailer, sizeof(trailer));
	event_batch_header(batch)->batch_bytes = (uint32_t)(batch->bytes->len - batch->start);
	event_batch_header(batch)->events_total = events_total;
}

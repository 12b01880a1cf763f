/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/bytes.h"
#include "record/batch_reader.h"
#include "record/event_reader.h"
#include "record/format.h"

/* A whole batch in the stream's byte order. All pointers are borrowed for the callback only. */
struct Batch {
	struct KmtBatchHeader header; /* already in this machine's byte order */
	bool swapped;                 /* the records are in the other byte order */
	const uint8_t *content;       /* between header and trailer, not aligned */
	uint32_t content_bytes;
	const uint8_t *bytes; /* the whole batch as received */
};

/* Whether batches of this kind contain events. */
static inline bool batch_kind_has_events(uint8_t kind)
{
	return kind == KMT_BATCH_EVENTS || kind == KMT_BATCH_POINT_EVENTS;
}

static inline bool batch_has_events(const Batch *batch)
{
	return batch_kind_has_events(batch->header.kind);
}

/* The content of a text batch (struct KmtText). */
typedef struct {
	const char *text; /* borrowed from the batch; NULL: the batch is too short */
	uint32_t bytes;   /* never beyond the batch */
	uint32_t epoch;
} BatchText;

static inline BatchText batch_text(const Batch *batch)
{
	const uint8_t *content = batch->content;
	BatchText part = { 0 };

	if (batch->content_bytes < sizeof(struct KmtText))
		return part;
	part.epoch = load_u32(content + offsetof(struct KmtText, epoch), batch->swapped);
	part.bytes = load_u32(content + offsetof(struct KmtText, text_bytes), batch->swapped);
	part.bytes = MIN(part.bytes, batch->content_bytes - (uint32_t)sizeof(struct KmtText));
	part.text = (const char *)content + sizeof(struct KmtText);
	return part;
}

/* Returns the time of an event: CLOCK_MONOTONIC, 0 in a batch without times. */
static inline uint64_t event_time_ns(const Events *events, const Event *event)
{
	return events->header->base_time_ns + event->after_ns;
}

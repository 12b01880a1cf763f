/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"
#include "base/bytes.h"

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

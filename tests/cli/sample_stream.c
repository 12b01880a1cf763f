/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sample_stream.h"

#include "record/batch_writer.h"
#include "record/format.h"

#include <string.h>

/* Returns how long the batch is. */
static size_t sample_batch(guint8 *batch, uint32_t period, uint32_t first_cpu)
{
	struct KmtBatchHeader header;

	memcpy(&header, batch, sizeof(header));
	g_assert(header.magic == KMT_MAGIC);
	if (header.kind == KMT_BATCH_EVENTS && header.cpu >= first_cpu) {
		header.sampling_period = period;
		memcpy(batch, &header, sizeof(header));
	}
	return header.batch_bytes;
}

static void sample_batches(GByteArray *stream, uint32_t period, uint32_t first_cpu)
{
	size_t at = 0;

	while (at < stream->len)
		at += stream->data[at] ? sample_batch(stream->data + at, period, first_cpu) : 1;
}

void throttle_stream(GByteArray *stream, uint32_t period)
{
	sample_batches(stream, period, 1);
}

void sample_stream(GByteArray *stream, uint32_t period, uint64_t scatter_percent)
{
	const InfoField asked = { KMT_FIELD_SAMPLING_PERIOD, period, NULL };
	const InfoField scatter = { KMT_FIELD_SAMPLING_SCATTER, scatter_percent, NULL };
	g_autoptr(GByteArray) info = g_byte_array_new();

	sample_batches(stream, period, 0);
	batch_write_info(info, &asked, 1);
	if (scatter_percent)
		batch_write_info(info, &scatter, 1);
	g_byte_array_append(stream, info->data, info->len);
	g_byte_array_prepend(stream, info->data, info->len);
}

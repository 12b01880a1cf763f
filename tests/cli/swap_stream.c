/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "swap_stream.h"

#include "record/format.h"
#include "record/run_info.h"

#include <string.h>

/* The widths of a record's fields from its start; what follows them is bytes. */
static const char *const record_layouts[] = {
	[KMT_RECORD_PAD] = "112",
	[KMT_RECORD_TASK] = "11244488",
	[KMT_RECORD_TASK_USE] = "112",
	[KMT_RECORD_STACK4] = "11222",
	[KMT_RECORD_STACK8] = "11222",
	[KMT_RECORD_ORIGIN] = "112228884211",
	[KMT_RECORD_ALLOC] = "11248",
	[KMT_RECORD_FREE] = "11248",
	[KMT_RECORD_HEARTBEAT] = "112488888",
	[KMT_RECORD_FIELD] = "1124",
	[KMT_RECORD_WEIGHTED] = "11248",
	[KMT_RECORD_REPEATED] = "112444",
	[KMT_RECORD_SAMPLED] = "1124844",
};

static const char header_layout[] = "411241124488448888";
static const char trailer_layout[] = "44";
static const char text_layout[] = "44";

static void reverse(guint8 *bytes, unsigned width)
{
	for (unsigned i = 0; i < width / 2; i++) {
		guint8 kept = bytes[i];

		bytes[i] = bytes[width - 1 - i];
		bytes[width - 1 - i] = kept;
	}
}

/* Returns where the layout ends. */
static guint8 *swap_layout(guint8 *at, const char *layout)
{
	for (; *layout; layout++) {
		reverse(at, (unsigned)(*layout - '0'));
		at += *layout - '0';
	}
	return at;
}

static void swap_record(guint8 *record)
{
	struct KmtRecordHead head;
	uint16_t depth;
	uint32_t value_bytes;
	guint8 *rest;

	memcpy(&head, record, sizeof(head));
	memcpy(&depth, record + offsetof(struct KmtStack, depth), sizeof(depth));
	memcpy(&value_bytes, record + offsetof(struct KmtField, value_bytes), sizeof(value_bytes));
	g_assert(head.type < G_N_ELEMENTS(record_layouts) && record_layouts[head.type]);
	rest = swap_layout(record, record_layouts[head.type]);
	if (head.type == KMT_RECORD_STACK4)
		for (unsigned i = 0; i < depth; i++)
			reverse(rest + 4 * i, 4);
	if (head.type == KMT_RECORD_STACK8)
		for (unsigned i = 0; i < depth; i++)
			reverse(rest + 8 * i, 8);
	if (head.type == KMT_RECORD_FIELD && run_info_is_number(head.index))
		reverse(rest, value_bytes);
}

/* Returns how long the batch is. */
static size_t swap_batch(guint8 *batch)
{
	struct KmtBatchHeader header;
	guint8 *at, *end;

	memcpy(&header, batch, sizeof(header));
	g_assert(header.magic == KMT_MAGIC);
	at = batch + header.header_bytes;
	end = batch + header.batch_bytes - sizeof(struct KmtBatchTrailer);
	swap_layout(batch, header_layout);
	swap_layout(end, trailer_layout);
	if (header.kind == KMT_BATCH_SYMBOLS || header.kind == KMT_BATCH_MODULES ||
	    header.kind == KMT_BATCH_SECTIONS) {
		swap_layout(at, text_layout);
		return header.batch_bytes;
	}
	while (at < end) {
		unsigned units = at[1];

		swap_record(at);
		at += units * KMT_RECORD_UNIT_BYTES;
	}
	return header.batch_bytes;
}

void swap_stream(GByteArray *stream)
{
	size_t at = 0;

	while (at < stream->len) {
		/* Padding between batches has no byte order. */
		if (!stream->data[at])
			at++;
		else
			at += swap_batch(stream->data + at);
	}
}

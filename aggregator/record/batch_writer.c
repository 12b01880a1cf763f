/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Appends batches of facts, text and counters to a byte array. It has no state. The parts of
 * collect/ that describe the host and the run write with it; events of perf go through
 * event_writer.c instead.
 */
#include "record/batch_writer.h"

#include "record/format.h"
#include "record/batch_build.h"

#include <string.h>

enum {
	/* Far below the readers' limit, and small enough that a damaged batch loses little. */
	TEXT_BYTES_MAX = 256 << 10,
	FIELD_UNITS_MAX = 255, /* a record's length is stored in a byte */
	FIELD_TEXT_BYTES_MAX =
		FIELD_UNITS_MAX * KMT_RECORD_UNIT_BYTES - (int)sizeof(struct KmtField),
};

/* Appends the header of a batch, for batch_end() to complete. Returns its offset. */
static guint batch_begin(GByteArray *out, uint8_t kind, uint64_t time_ns)
{
	struct KmtBatchHeader header;
	guint start = out->len;

	kmt_build_header(&header, kind, 0);
	header.base_time_ns = time_ns;
	g_byte_array_append(out, (const guint8 *)&header, sizeof(header));
	return start;
}

static void batch_end(GByteArray *out, guint start)
{
	struct KmtBatchTrailer trailer;
	uint32_t batch_bytes = out->len + (uint32_t)sizeof(trailer) - start;

	kmt_build_trailer(&trailer, 0);
	g_byte_array_append(out, (const guint8 *)&trailer, sizeof(trailer));
	memcpy(out->data + start + offsetof(struct KmtBatchHeader, batch_bytes), &batch_bytes,
	       sizeof(batch_bytes));
}

/* Sets the counters in the header of an open batch. */
static void set_counters(GByteArray *out, guint start, const CpuCounters *counters)
{
	struct KmtBatchHeader header;

	memcpy(&header, out->data + start, sizeof(header));
	header.cpu = counters->cpu;
	header.events_total = counters->events_total;
	header.dropped_reentrant = counters->dropped_reentrant;
	header.left_out_self = counters->left_out_self;
	header.left_out_interrupt = counters->left_out_interrupt;
	memcpy(out->data + start, &header, sizeof(header));
}

void batch_write_counters(GByteArray *out, const CpuCounters *counters, uint64_t time_ns)
{
	guint start = batch_begin(out, KMT_BATCH_EVENTS, time_ns);

	set_counters(out, start, counters);
	batch_end(out, start);
}

void batch_write_heartbeat(GByteArray *out, const CpuCounters *counters, uint32_t sampling_period,
			   struct KmtHeartbeat beat, uint64_t time_ns)
{
	guint start = batch_begin(out, KMT_BATCH_EVENTS, time_ns);
	struct KmtBatchHeader header;

	set_counters(out, start, counters);
	memcpy(&header, out->data + start, sizeof(header));
	header.heartbeats = 1;
	header.sampling_period = sampling_period;
	memcpy(out->data + start, &header, sizeof(header));
	beat.head = (struct KmtRecordHead){ .type = KMT_RECORD_HEARTBEAT,
					    .units = sizeof(beat) / KMT_RECORD_UNIT_BYTES };
	g_byte_array_append(out, (const guint8 *)&beat, sizeof(beat));
	batch_end(out, start);
}

/* Returns how many bytes of the text fit into a field, in whole characters. */
static size_t text_fitting(const char *text)
{
	size_t length = strlen(text);

	if (length <= FIELD_TEXT_BYTES_MAX)
		return length;
	length = FIELD_TEXT_BYTES_MAX;
	/* Bytes of the form 10xxxxxx continue a character. */
	while (length && ((uint8_t)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static void append_field(GByteArray *out, uint16_t id, const void *value, size_t value_bytes)
{
	guint start = out->len;

	g_byte_array_set_size(out, start + kmt_build_field_bytes((uint32_t)value_bytes));
	kmt_build_field(out->data + start, id, value, (uint32_t)value_bytes);
}

void batch_write_info(GByteArray *out, const InfoField *fields, size_t count)
{
	guint start = batch_begin(out, KMT_BATCH_INFO, 0);

	for (const InfoField *field = fields; field < fields + count; field++) {
		if (field->text)
			append_field(out, field->id, field->text, text_fitting(field->text));
		else
			append_field(out, field->id, &field->number, sizeof(field->number));
	}
	batch_end(out, start);
}

/* Common data of a text's batches. */
typedef struct {
	uint8_t kind;
	uint32_t epoch;
	uint64_t time_ns;
} TextKind;

static void append_text_batch(GByteArray *out, const TextKind *kind, const char *text,
			      uint32_t length)
{
	static const uint8_t zeros[KMT_RECORD_UNIT_BYTES];
	const struct KmtText head = { .epoch = kind->epoch, .text_bytes = length };
	guint start = batch_begin(out, kind->kind, kind->time_ns);

	g_byte_array_append(out, (const guint8 *)&head, sizeof(head));
	g_byte_array_append(out, (const guint8 *)text, length);
	g_byte_array_append(out, zeros, -length % KMT_RECORD_UNIT_BYTES);
	batch_end(out, start);
}

/* Returns how much of the text one batch takes: up to a line end; 0 if the first line alone is too
   long (no line of symbols is). */
static size_t chunk_of(const char *text, size_t length)
{
	const char *end;

	if (length <= TEXT_BYTES_MAX)
		return length;
	end = memrchr(text, '\n', TEXT_BYTES_MAX);
	return end ? (size_t)(end - text) + 1 : 0;
}

/* A line that is too long is left out. */
static void append_text(GByteArray *out, const TextKind *kind, const char *text, size_t length)
{
	do {
		size_t chunk = chunk_of(text, length);

		if (chunk || !length) {
			append_text_batch(out, kind, text, (uint32_t)chunk);
		} else {
			const char *end = memchr(text, '\n', length);

			chunk = end ? (size_t)(end - text) + 1 : length;
		}
		text += chunk;
		length -= chunk;
	} while (length);
}

void batch_write_text(GByteArray *out, uint8_t kind, uint32_t epoch, const char *text,
		      size_t length)
{
	append_text(out, &(TextKind){ .kind = kind, .epoch = epoch }, text, length);
}

void batch_write_reading(GByteArray *out, uint8_t kind, uint32_t reading, uint64_t time_ns,
			 const char *text, size_t length)
{
	append_text(out, &(TextKind){ kind, reading, time_ns }, text, length);
}

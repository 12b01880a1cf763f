/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "record/batch_reader.h"

#include "event_batch.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(batch_reader);

/* What a visitor saw: the numbers of the batches, as text. */
static void note_number(const Batch *batch, void *user_data)
{
	g_string_append_printf(user_data, "%u ", batch->header.batch_number);
}

static GByteArray *stream_of(unsigned batches)
{
	GByteArray *bytes = g_byte_array_new();
	const uint32_t frames[] = { 0x81000010, 0x81000020 };

	for (unsigned i = 0; i < batches; i++) {
		EventBatch batch = event_batch_begin(bytes, 0, i, 1000 * i);
		uint16_t origin = event_batch_origin(&batch, frames, 2, 10, 16);

		event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 1, KMT_CONTEXT_TASK, 4096);
		event_batch_end(&batch, i + 1);
	}
	return bytes;
}

/* Reads bytes in chunks and returns what was seen: "NUMBERS|damaged times|damaged bytes". */
static char *read_in_chunks(const GByteArray *bytes, size_t chunk)
{
	g_autoptr(GString) seen = g_string_new(NULL);
	g_autoptr(BatchReader) reader = batch_reader_new(note_number, seen);
	BatchReaderTotals totals;

	for (size_t at = 0; at < bytes->len; at += chunk)
		batch_reader_feed(reader, bytes->data + at, MIN(chunk, bytes->len - at));
	batch_reader_finish(reader);
	totals = batch_reader_totals(reader);
	g_string_append_printf(seen, "|%d|%d", (int)totals.damaged, (int)totals.damaged_bytes);
	return g_string_free(g_steal_pointer(&seen), FALSE);
}

Test(batch_reader, any_chunking_gives_the_same_batches)
{
	g_autoptr(GByteArray) bytes = stream_of(5);

	for (size_t chunk = 1; chunk <= bytes->len; chunk++) {
		g_autofree char *seen = read_in_chunks(bytes, chunk);

		cr_expect(eq(str, seen, "0 1 2 3 4 |0|0"), "chunks of %zu", chunk);
	}
}

Test(batch_reader, a_cut_anywhere_loses_one_batch_only)
{
	g_autoptr(GByteArray) whole = stream_of(3);
	guint one = whole->len / 3;

	for (guint missing = 1; missing < one; missing++) {
		g_autoptr(GByteArray) bytes = g_byte_array_new();
		g_autofree char *seen = NULL;

		g_byte_array_append(bytes, whole->data, 2 * one - missing);
		g_byte_array_append(bytes, whole->data + 2 * one, one);
		seen = read_in_chunks(bytes, 7);
		cr_expect(g_str_has_prefix(seen, "0 2 |1|"), "%u bytes missing: %s", missing, seen);
	}
}

Test(batch_reader, padding_between_batches_is_no_damage)
{
	g_autoptr(GByteArray) bytes = stream_of(1);
	g_autoptr(GByteArray) more = stream_of(1);
	const guint8 zeros[KMT_PADDING_BYTES_MAX] = { 0 };
	g_autofree char *seen = NULL;

	g_byte_array_append(bytes, zeros, sizeof(zeros));
	g_byte_array_append(bytes, more->data, more->len);
	seen = read_in_chunks(bytes, 5);
	cr_expect(eq(str, seen, "0 0 |0|0"));
}

Test(batch_reader, zeros_beyond_the_padding_are_damage)
{
	g_autoptr(GByteArray) bytes = stream_of(1);
	const guint8 zeros[KMT_PADDING_BYTES_MAX + 3] = { 0 };
	g_autofree char *seen = NULL;

	g_byte_array_append(bytes, zeros, sizeof(zeros));
	seen = read_in_chunks(bytes, bytes->len);
	cr_expect(eq(str, seen, "0 |1|3"));
}

Test(batch_reader, junk_is_skipped_and_counted)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(GByteArray) good = stream_of(2);
	g_autofree char *seen = NULL;

	g_byte_array_append(bytes, (const guint8 *)"hello", 5);
	g_byte_array_append(bytes, good->data, good->len);
	seen = read_in_chunks(bytes, 3);
	cr_expect(eq(str, seen, "0 1 |1|5"));
}

Test(batch_reader, a_batch_that_claims_too_much_does_not_hide_the_next)
{
	g_autoptr(GByteArray) bytes = stream_of(2);
	g_autofree char *seen = NULL;

	((struct KmtBatchHeader *)bytes->data)->batch_bytes *= 2;
	seen = read_in_chunks(bytes, 64);
	cr_expect(g_str_has_prefix(seen, "1 |1|"), "%s", seen);
}

Test(batch_reader, a_newer_version_is_skipped_as_unknown)
{
	g_autoptr(GByteArray) bytes = stream_of(2);
	g_autoptr(GString) seen = g_string_new(NULL);
	g_autoptr(BatchReader) reader = batch_reader_new(note_number, seen);

	((struct KmtBatchHeader *)bytes->data)->version = KMT_VERSION_BY_BITS + 1;
	batch_reader_feed(reader, bytes->data, bytes->len);
	batch_reader_finish(reader);
	cr_expect(eq(str, seen->str, "1 "));
	cr_expect(eq(u64, batch_reader_totals(reader).unknown, 1));
	cr_expect(eq(u64, batch_reader_totals(reader).damaged, 0));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "record/batch_writer.h"

#include "leaks.h"
#include "record/batch_reader.h"
#include "record/run_info.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(batch_writer);

/* What a reader found. */
typedef struct {
	RunInfo *info;
	GString *text;
	guint batches;
	uint32_t epoch;
	uint8_t kind;
	uint32_t batch_bytes_max;
	bool all_end_lines;
} Found;

static void visit(const Batch *batch, void *user_data)
{
	Found *found = user_data;
	struct KmtText head;

	found->batches++;
	found->kind = batch->header.kind;
	found->batch_bytes_max = MAX(found->batch_bytes_max, batch->header.batch_bytes);
	if (batch->header.kind == KMT_BATCH_INFO) {
		run_info_read_batch(found->info, batch);
		return;
	}
	memcpy(&head, batch->content, sizeof(head));
	found->epoch = head.epoch;
	g_string_append_len(found->text, (const char *)batch->content + sizeof(head),
			    head.text_bytes);
	found->all_end_lines = found->all_end_lines && g_str_has_suffix(found->text->str, "\n");
}

static void read_all(const GByteArray *stream, Found *found)
{
	g_autoptr(BatchReader) reader = batch_reader_new(visit, found);
	BatchReaderTotals totals;

	batch_reader_feed(reader, stream->data, stream->len);
	batch_reader_finish(reader);
	totals = batch_reader_totals(reader);
	cr_expect_eq(totals.damaged, 0);
	cr_expect_eq(totals.unknown, 0);
}

static Found found_new(void)
{
	return (Found){ .info = run_info_new(), .text = g_string_new(NULL), .all_end_lines = true };
}

static void found_clear(Found *found)
{
	run_info_free(found->info);
	g_string_free(found->text, TRUE);
}

Test(batch_writer, facts_come_back)
{
	const InfoField fields[] = {
		{ KMT_FIELD_RELEASE, 0, "6.12.48+deb13-amd64" },
		{ KMT_FIELD_CPUS_ONLINE, 4, NULL },
		{ KMT_FIELD_HOST, 0, "" },
	};
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Found found = found_new();

	batch_write_info(stream, fields, G_N_ELEMENTS(fields));
	read_all(stream, &found);
	cr_expect_eq(found.batches, 1);
	cr_expect_str_eq(run_info_text(found.info, KMT_FIELD_RELEASE), "6.12.48+deb13-amd64");
	cr_expect_eq(run_info_number(found.info, KMT_FIELD_CPUS_ONLINE, 0), 4);
	cr_expect_str_eq(run_info_text(found.info, KMT_FIELD_HOST), "");
	found_clear(&found);
}

static void take_counters(const Batch *batch, void *user_data)
{
	CpuCounters *found = user_data;
	const struct KmtBatchHeader *header = &batch->header;

	cr_expect_eq(header->kind, KMT_BATCH_EVENTS);
	cr_expect_eq(header->base_time_ns, 77);
	cr_expect_eq(header->events + header->heartbeats + batch->content_bytes, 0);
	*found = (CpuCounters){ header->cpu, header->events_total, header->dropped_reentrant,
				header->left_out_self, header->left_out_interrupt };
}

Test(batch_writer, counters_come_back_alone)
{
	const CpuCounters counters = { 5, UINT64_MAX, 2, 3, 4 };
	g_autoptr(GByteArray) stream = g_byte_array_new();
	CpuCounters found = { 0 };
	g_autoptr(BatchReader) reader = batch_reader_new(take_counters, &found);

	batch_write_counters(stream, &counters, 77);
	batch_reader_feed(reader, stream->data, stream->len);
	batch_reader_finish(reader);
	cr_expect_eq(found.cpu, 5);
	cr_expect_eq(found.events_total, UINT64_MAX);
	cr_expect_eq(found.dropped_reentrant, 2);
	cr_expect_eq(found.left_out_self, 3);
	cr_expect_eq(found.left_out_interrupt, 4);
}

Test(batch_writer, a_long_text_is_cut_at_a_character)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Found found = found_new();
	const char *kept;

	while (text->len < 5000)
		g_string_append(text, "\342\202\254"); /* the euro sign, 3 bytes */
	batch_write_info(stream, &(InfoField){ KMT_FIELD_COMMAND_LINE, 0, text->str }, 1);
	read_all(stream, &found);
	kept = run_info_text(found.info, KMT_FIELD_COMMAND_LINE);
	cr_assert_not_null(kept);
	cr_expect(g_str_has_prefix(text->str, kept));
	cr_expect_eq(strlen(kept) % 3, 0);
	cr_expect_gt(strlen(kept), 2000);
	found_clear(&found);
}

Test(batch_writer, an_empty_text_announces_its_epoch)
{
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Found found = found_new();

	batch_write_text(stream, KMT_BATCH_MODULES, 7, NULL, 0);
	read_all(stream, &found);
	cr_expect_eq(found.batches, 1);
	cr_expect_eq(found.kind, KMT_BATCH_MODULES);
	cr_expect_eq(found.epoch, 7);
	cr_expect_eq(found.text->len, 0);
	found_clear(&found);
}

Test(batch_writer, a_large_text_is_cut_at_line_ends)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Found found = found_new();

	for (unsigned i = 0; text->len < 3 * 1000 * 1000; i++)
		g_string_append_printf(text, "ffffffff81%06x t function_%u\n", i, i);
	batch_write_text(stream, KMT_BATCH_SYMBOLS, 1, text->str, text->len);
	read_all(stream, &found);
	cr_expect_str_eq(found.text->str, text->str);
	cr_expect_gt(found.batches, 10);
	cr_expect(found.all_end_lines);
	cr_expect_lt(found.batch_bytes_max, KMT_BATCH_BYTES_MAX / 2);
	found_clear(&found);
}

Test(batch_writer, a_text_of_exactly_one_chunk_makes_no_empty_batch)
{
	g_autofree char *text = g_strnfill(256 << 10, '\n');
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Found found = found_new();

	batch_write_text(stream, KMT_BATCH_SYMBOLS, 1, text, 256 << 10);
	read_all(stream, &found);
	cr_expect_eq(found.batches, 1);
	cr_expect_eq(found.text->len, 256 << 10);
	found_clear(&found);
}

Test(batch_writer, a_line_longer_than_a_batch_is_left_out)
{
	g_autoptr(GString) text = g_string_new("first\n");
	g_autoptr(GByteArray) stream = g_byte_array_new();
	g_autofree char *endless = g_strnfill(2 << 20, 'x');
	Found found = found_new();

	g_string_append_printf(text, "%s\nlast\n", endless);
	batch_write_text(stream, KMT_BATCH_SYMBOLS, 1, text->str, text->len);
	read_all(stream, &found);
	cr_expect_str_eq(found.text->str, "first\nlast\n");
	found_clear(&found);
}

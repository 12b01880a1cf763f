/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "record/run_info.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(run_info);

static void append_u16(GByteArray *out, uint16_t value, bool swapped)
{
	value = swapped ? GUINT16_SWAP_LE_BE(value) : value;
	g_byte_array_append(out, (const guint8 *)&value, sizeof(value));
}

static void append_u32(GByteArray *out, uint32_t value, bool swapped)
{
	value = swapped ? GUINT32_SWAP_LE_BE(value) : value;
	g_byte_array_append(out, (const guint8 *)&value, sizeof(value));
}

/* Appends a field record that claims value_bytes, whatever it holds. */
static void append_field(GByteArray *out, uint8_t type, uint16_t id, uint32_t value_bytes,
			 const void *value, uint32_t held_bytes, bool swapped)
{
	static const guint8 zeros[8];
	guint8 units = 1 + (held_bytes + 7) / 8;

	g_byte_array_append(out, &type, 1);
	g_byte_array_append(out, &units, 1);
	append_u16(out, id, swapped);
	append_u32(out, value_bytes, swapped);
	g_byte_array_append(out, value, held_bytes);
	g_byte_array_append(out, zeros, -held_bytes % 8);
}

static void append_text(GByteArray *out, uint16_t id, const char *text, bool swapped)
{
	append_field(out, KMT_RECORD_FIELD, id, strlen(text), text, strlen(text), swapped);
}

static void append_number(GByteArray *out, uint16_t id, uint64_t number, bool swapped)
{
	number = swapped ? GUINT64_SWAP_LE_BE(number) : number;
	append_field(out, KMT_RECORD_FIELD, id, sizeof(number), &number, sizeof(number), swapped);
}

/* Reads a copy of exactly these bytes, so that a sanitizer sees a step outside. */
static RunInfo *read_content(const GByteArray *content, guint bytes, bool swapped)
{
	g_autofree guint8 *copy = g_memdup(content->data, bytes);
	const Batch batch = { .swapped = swapped, .content = copy, .content_bytes = bytes };
	RunInfo *info = run_info_new();

	run_info_read_batch(info, &batch);
	return info;
}

static void expect_fields(bool swapped)
{
	g_autoptr(GByteArray) content = g_byte_array_new();
	g_autoptr(RunInfo) info = NULL;

	append_text(content, KMT_FIELD_HOST, "www1", swapped);
	append_number(content, KMT_FIELD_MONOTONIC_NS, 1000, swapped);
	append_number(content, KMT_FIELD_REALTIME_NS, 5000000, swapped);
	append_number(content, KMT_FIELD_SELF_INCLUDED, 0, swapped);
	info = read_content(content, content->len, swapped);
	cr_expect_str_eq(run_info_text(info, KMT_FIELD_HOST), "www1");
	cr_expect_eq(run_info_number(info, KMT_FIELD_MONOTONIC_NS, 0), 1000);
	cr_expect_eq(run_info_number(info, KMT_FIELD_SELF_INCLUDED, 9), 0);
	cr_expect_eq(run_info_realtime_ns(info, 3500), 5002500);
	cr_expect_eq(run_info_realtime_ns(info, 500), 4999500);
}

Test(run_info, fields_are_read)
{
	expect_fields(false);
}

Test(run_info, fields_of_the_other_byte_order_are_read)
{
	expect_fields(true);
}

Test(run_info, what_was_not_said_is_not_known)
{
	g_autoptr(RunInfo) info = run_info_new();

	cr_expect_null(run_info_text(info, KMT_FIELD_HOST));
	cr_expect_eq(run_info_number(info, KMT_FIELD_STACK_DEPTH, 64), 64);
	cr_expect_eq(run_info_realtime_ns(info, 1), 0);
}

Test(run_info, a_later_value_replaces_an_earlier_one)
{
	g_autoptr(GByteArray) content = g_byte_array_new();
	g_autoptr(RunInfo) info = NULL;

	append_text(content, KMT_FIELD_BOUND, "first", false);
	append_text(content, KMT_FIELD_BOUND, "second", false);
	append_number(content, KMT_FIELD_SKIPPED, 1, false);
	append_number(content, KMT_FIELD_SKIPPED, 2, false);
	info = read_content(content, content->len, false);
	cr_expect_str_eq(run_info_text(info, KMT_FIELD_BOUND), "second");
	cr_expect_eq(run_info_number(info, KMT_FIELD_SKIPPED, 0), 2);
}

Test(run_info, text_is_checked)
{
	g_autoptr(GByteArray) content = g_byte_array_new();
	g_autoptr(RunInfo) info = NULL;

	append_text(content, KMT_FIELD_HOST, "a\033]0;b\nc", false);
	append_text(content, KMT_FIELD_RELEASE, "\377x", false);
	append_field(content, KMT_RECORD_FIELD, KMT_FIELD_ARCH, 5, "s3\0xx", 5, false);
	info = read_content(content, content->len, false);
	cr_expect_str_eq(run_info_text(info, KMT_FIELD_HOST), "a?]0;b?c");
	cr_expect(g_utf8_validate(run_info_text(info, KMT_FIELD_RELEASE), -1, NULL));
	cr_expect_str_eq(run_info_text(info, KMT_FIELD_ARCH), "s3");
}

Test(run_info, a_list_keeps_its_tabs_and_nothing_else_does)
{
	g_autoptr(GByteArray) content = g_byte_array_new();
	g_autoptr(RunInfo) info = NULL;

	append_text(content, KMT_FIELD_CACHE_FILTER, "filp\tden\ntry", false);
	append_text(content, KMT_FIELD_HOST, "a\tb", false);
	info = read_content(content, content->len, false);
	cr_expect_str_eq(run_info_text(info, KMT_FIELD_CACHE_FILTER), "filp\tden?try");
	cr_expect_str_eq(run_info_text(info, KMT_FIELD_HOST), "a?b");
}

Test(run_info, damaged_and_unknown_fields_are_skipped)
{
	g_autoptr(GByteArray) content = g_byte_array_new();
	g_autoptr(RunInfo) info = NULL;
	uint64_t number = 1;

	append_text(content, KMT_FIELD_IDS, "newer", false);
	append_text(content, 0, "no field", false);
	append_text(content, 0xffff, "no field", false);
	append_field(content, KMT_RECORD_FIELD, KMT_FIELD_HOST, 4096, "abc", 3, false);
	append_field(content, KMT_RECORD_FIELD, KMT_FIELD_RELEASE, UINT32_MAX, "abc", 3, false);
	append_field(content, KMT_RECORD_FIELD, KMT_FIELD_SKIPPED, 4, &number, 8, false);
	append_field(content, KMT_RECORD_PAD, KMT_FIELD_ARCH, 3, "abc", 3, false);
	append_text(content, KMT_FIELD_VERSION, "read", false);
	info = read_content(content, content->len, false);
	cr_expect_null(run_info_text(info, KMT_FIELD_HOST));
	cr_expect_null(run_info_text(info, KMT_FIELD_RELEASE));
	cr_expect_null(run_info_text(info, KMT_FIELD_ARCH));
	cr_expect_not(info->known[KMT_FIELD_SKIPPED]);
	cr_expect_str_eq(run_info_text(info, KMT_FIELD_VERSION), "read");
}

Test(run_info, a_cut_batch_is_read_up_to_the_cut)
{
	g_autoptr(GByteArray) content = g_byte_array_new();

	append_text(content, KMT_FIELD_HOST, "www1", false);
	append_text(content, KMT_FIELD_RELEASE, "6.12.48", false);
	for (guint bytes = 0; bytes < content->len; bytes++) {
		g_autoptr(RunInfo) info = read_content(content, bytes, false);

		cr_expect_eq(info->known[KMT_FIELD_HOST], bytes >= 16);
		cr_expect_not(info->known[KMT_FIELD_RELEASE]);
	}
}

Test(run_info, a_record_without_length_ends_the_batch)
{
	g_autoptr(GByteArray) content = g_byte_array_new();
	g_autoptr(RunInfo) info = NULL;

	append_text(content, KMT_FIELD_HOST, "www1", false);
	content->data[1] = 0;
	info = read_content(content, content->len, false);
	cr_expect_not(info->known[KMT_FIELD_HOST]);
}

/* Reads one field into what is known already. */
static void read_number(RunInfo *info, uint16_t id, uint64_t number)
{
	g_autoptr(GByteArray) content = g_byte_array_new();
	Batch batch = { 0 };

	append_number(content, id, number, false);
	batch.content = content->data;
	batch.content_bytes = content->len;
	run_info_read_batch(info, &batch);
}

static void expect_window(const RunInfo *info, uint64_t start_ns, uint64_t end_ns)
{
	cr_expect_eq(run_info_number(info, KMT_FIELD_WINDOW_START_NS, 0), start_ns);
	cr_expect_eq(run_info_number(info, KMT_FIELD_WINDOW_END_NS, UINT64_MAX), end_ns);
}

Test(run_info, a_slice_is_the_window_however_often_the_stream_says_it)
{
	g_autoptr(RunInfo) info = run_info_new();

	run_info_set_slice(info, (RunSlice){ 10, 30 });
	expect_window(info, UINT64_MAX, UINT64_MAX);
	read_number(info, KMT_FIELD_WINDOW_START_NS, UINT64_MAX);
	expect_window(info, UINT64_MAX, UINT64_MAX);
	for (int again = 0; again < 2; again++) {
		read_number(info, KMT_FIELD_WINDOW_START_NS, 1000);
		expect_window(info, 1010, 1030);
		read_number(info, KMT_FIELD_SKIPPED, 1);
		expect_window(info, 1010, 1030);
	}
	read_number(info, KMT_FIELD_WINDOW_END_NS, 1020);
	expect_window(info, 1010, 1020);
	cr_expect_eq(run_info_start_ns(info), 1000);
}

Test(run_info, the_slice_of_a_stream_without_a_start_counts_from_its_first_events)
{
	g_autoptr(RunInfo) info = run_info_new();

	run_info_set_slice(info, (RunSlice){ 10, UINT64_MAX });
	run_info_begin_at(info, 500);
	run_info_begin_at(info, 700);
	expect_window(info, 510, UINT64_MAX);
	read_number(info, KMT_FIELD_RUN_START_NS, UINT64_MAX - 5);
	expect_window(info, UINT64_MAX, UINT64_MAX);
}

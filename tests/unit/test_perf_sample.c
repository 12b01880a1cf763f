/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_sample.h"

#include "byte_order.h"
#include "leaks.h"
#include "perf_fixtures.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(perf_sample);

#define WITH_CHAIN (PERF_SAMPLE_NEEDED | PERF_SAMPLE_CALLCHAIN)

/* A record of a fixture, its body in memory of exactly its length. */
typedef struct {
	struct perf_event_header header;
	void *body;
	size_t body_bytes;
} Record;

static void record_clear(Record *record)
{
	g_free(record->body);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Record, record_clear)

static Record record_read(const char **at, const char *end)
{
	Record record = { 0 };

	cr_assert_geq((size_t)(end - *at), sizeof(record.header));
	memcpy(&record.header, *at, sizeof(record.header));
	cr_assert(record.header.size >= sizeof(record.header) && end - *at >= record.header.size);
	record.body_bytes = record.header.size - sizeof(record.header);
	record.body = perf_fixture_exact(*at + sizeof(record.header), record.body_bytes);
	*at += record.header.size;
	return record;
}

static void append_task(GString *text, const Record *record)
{
	struct PerfTaskRecord task;

	cr_assert(perf_task_record_parse(&record->header, record->body, record->body_bytes, &task));
	g_string_append_printf(text, "task %" G_GUINT64_FORMAT " PERF_RECORD_", task.time_ns);
	if (task.kind == PERF_TASK_COMM)
		g_string_append_printf(text, "COMM%s: %s:%u/%u\n", task.is_exec ? " exec" : "",
				       task.comm, task.tgid, task.tid);
	else
		g_string_append_printf(text, "%s(%u:%u):(%u:%u)\n",
				       task.kind == PERF_TASK_FORK ? "FORK" : "EXIT", task.tgid,
				       task.tid, task.parent_tgid, task.parent_tid);
}

/* What perf_sample.c reads; the tracepoint's fields are tested by test_kmem_points.c. */
static void append_sample(GString *text, const Record *record, const GPtrArray *points)
{
	const KmemPoint *point;
	PerfSample sample;

	cr_assert(perf_sample_parse(record->body, record->body_bytes, PERF_SAMPLE_KNOWN, &sample));
	point = kmem_points_lookup(points, kmem_raw_common_type(sample.raw));
	cr_assert_not_null(point);
	g_string_append_printf(
		text, "sample %" G_GUINT64_FORMAT " %u %u %" G_GUINT64_FORMAT " %s |",
		sample.time_ns, sample.tgid, sample.tid, sample.cgroup_id, point->type->name);
	for (uint32_t i = 0; i < sample.depth; i++)
		g_string_append_printf(text, " %" G_GINT64_MODIFIER "x", sample.frames[i]);
	g_string_append_c(text, '\n');
}

/* The line without the tracepoint's fields. */
static void append_expected(GString *text, const char *line)
{
	g_auto(GStrv) parts = g_strsplit(line, " | ", 3);

	if (g_strv_length(parts) == 3)
		g_string_append_printf(text, "%s | %s\n", parts[0], g_strstrip(parts[2]));
	else
		g_string_append_printf(text, "%s\n", line);
}

static void expect_as_perf(const char *kernel)
{
	gsize length;
	g_autofree char *records = perf_fixture_read(kernel, "samples.bin", &length);
	g_autofree char *lines = perf_fixture_read(kernel, "samples.txt", NULL);
	g_auto(GStrv) line = g_strsplit(g_strchomp(lines), "\n", -1);
	g_autoptr(GPtrArray) points = perf_fixture_points(kernel);
	const char *at = records, *end = records + length;
	guint count = 0;

	for (; at < end; count++) {
		g_auto(Record) record = record_read(&at, end);
		g_autoptr(GString) actual = g_string_new(NULL);
		g_autoptr(GString) expected = g_string_new(NULL);

		cr_assert_not_null(line[count]);
		append_expected(expected, line[count]);
		if (record.header.type == PERF_RECORD_SAMPLE)
			append_sample(actual, &record, points);
		else
			append_task(actual, &record);
		cr_expect(eq(str, actual->str, expected->str), "%s", kernel);
	}
	cr_expect_gt(count, 20);
	cr_expect_null(line[count]);
}

#define ON_X86 "the samples were recorded on x86-64"

Test(perf_sample, records_of_each_kernel_are_what_perf_made_of_them)
{
	skip_if_big_endian(ON_X86);
	for (unsigned i = 0; i < PERF_FIXTURES_RECORDED; i++)
		expect_as_perf(perf_fixture_kernels[i]);
}

/* At each shorter length. */
static void expect_nothing_of_cut(const Record *record)
{
	struct PerfTaskRecord task;
	PerfSample sample;

	for (size_t bytes = 0; bytes < record->body_bytes; bytes++) {
		g_autofree void *cut = perf_fixture_exact(record->body, bytes);

		if (record->header.type == PERF_RECORD_SAMPLE)
			cr_expect_not(perf_sample_parse(cut, bytes, PERF_SAMPLE_KNOWN, &sample));
		else
			/* A name may be shorter. */
			cr_expect_not(perf_task_record_parse(&record->header, cut, bytes, &task) &&
				      record->header.type != PERF_RECORD_COMM);
	}
}

Test(perf_sample, a_record_that_was_cut_is_none)
{
	skip_if_big_endian(ON_X86);
	for (unsigned i = 0; i < PERF_FIXTURES_RECORDED; i++) {
		gsize length;
		g_autofree char *records =
			perf_fixture_read(perf_fixture_kernels[i], "samples.bin", &length);
		const char *at = records;

		while (at < records + length) {
			g_auto(Record) record = record_read(&at, records + length);

			expect_nothing_of_cut(&record);
		}
	}
}

/* A body of pid 1, tid 2, time 3, a call chain and a raw record "rawdata" that fills its place. */
typedef struct {
	uint32_t tgid, tid;
	uint64_t time_ns, chain_length, chain[8];
	uint32_t raw_bytes;
	char raw[12];
} Body;

static Body body_new(void)
{
	return (Body){
		.tgid = 1,
		.tid = 2,
		.time_ns = 3,
		.chain_length = 8,
		.raw_bytes = 12,
		.raw = "rawdata",
	};
}

static bool parse(const Body *body, PerfSample *sample)
{
	return perf_sample_parse(body, sizeof(*body), WITH_CHAIN, sample);
}

static void expect_frames(const uint64_t chain[8], uint64_t first, uint32_t depth)
{
	Body body = body_new();
	PerfSample sample;

	memcpy(body.chain, chain, sizeof(body.chain));
	cr_assert(parse(&body, &sample));
	cr_expect(eq(u32, sample.depth, depth));
	if (depth)
		cr_expect(eq(u64, sample.frames[0], first));
	cr_expect_str_eq((const char *)sample.raw, "rawdata");
}

Test(perf_sample, frames_are_those_between_the_kernels_marker_and_the_next)
{
	const uint64_t kernel = (uint64_t)PERF_CONTEXT_KERNEL, user = (uint64_t)PERF_CONTEXT_USER;
	const uint64_t unknown = (uint64_t)-4095, no_marker = (uint64_t)-4096;

	expect_frames((uint64_t[]){ kernel, 1, 2, 3, user, 4, 5, 6 }, 1, 3);
	expect_frames((uint64_t[]){ user, 1, 2, kernel, 3, 4, 5, 6 }, 3, 4);
	expect_frames((uint64_t[]){ kernel, 1, unknown, 3, 4, 5, 6, 7 }, 1, 1);
	expect_frames((uint64_t[]){ kernel, no_marker, 2, 3, 4, 5, 6, 7 }, no_marker, 7);
	expect_frames((uint64_t[]){ kernel, user, 2, 3, 4, 5, 6, 7 }, 0, 0);
	expect_frames((uint64_t[]){ user, 1, 2, 3, 4, 5, 6, kernel }, 0, 0);
	expect_frames((uint64_t[]){ 1, 2, 3, 4, 5, 6, 7, 8 }, 0, 0);
}

static void expect_after_drop(const uint64_t chain[8], uint64_t second, uint32_t depth)
{
	Body body = body_new();
	PerfSample sample;

	memcpy(body.chain, chain, sizeof(body.chain));
	cr_assert(parse(&body, &sample));
	perf_sample_drop_double(&sample);
	cr_expect(eq(u32, sample.depth, depth));
	if (depth > 1)
		cr_expect(eq(u64, sample.frames[1], second));
}

Test(perf_sample, a_first_frame_that_comes_twice_is_dropped_once)
{
	const uint64_t kernel = (uint64_t)PERF_CONTEXT_KERNEL, user = (uint64_t)PERF_CONTEXT_USER;

	expect_after_drop((uint64_t[]){ kernel, 1, 1, 2, user, 4, 5, 6 }, 2, 2);
	expect_after_drop((uint64_t[]){ kernel, 1, 1, user, 4, 4, 5, 6 }, 0, 1);
	expect_after_drop((uint64_t[]){ kernel, 1, 2, 2, user, 4, 5, 6 }, 2, 3);
	expect_after_drop((uint64_t[]){ kernel, 1, user, 1, 4, 4, 5, 6 }, 0, 1);
	expect_after_drop((uint64_t[]){ user, 1, 1, 2, 4, 4, 5, 6 }, 0, 0);
}

static uint64_t missing_caller(uint64_t second_frame, uint32_t depth, uint64_t abi, uint64_t bytes)
{
	const uint64_t frames[] = { 0x1000, second_frame, 0x3000 }, stack = 0x2000;
	const PerfHit hit = {
		.user_frames = frames,
		.user_depth = depth,
		.user_registers_abi = abi,
		.user_stack = (const uint8_t *)&stack,
		.user_stack_bytes = bytes,
	};

	return perf_hit_missing_caller(&hit);
}

Test(perf_sample, the_caller_of_a_function_without_frame_is_on_top_of_its_stack)
{
	const uint64_t abi = PERF_SAMPLE_REGS_ABI_64;

	cr_expect(eq(u64, missing_caller(0x2500, 3, abi, 8), 0x2000));
	cr_expect(eq(u64, missing_caller(0x2500, 1, abi, 8), 0x2000));
	cr_expect(eq(u64, missing_caller(0x2000, 1, abi, 8), 0x2000));
	cr_expect(eq(u64, missing_caller(0x2000, 3, abi, 8), 0));
	cr_expect(eq(u64, missing_caller(0x2500, 0, abi, 8), 0));
	cr_expect(eq(u64, missing_caller(0x2500, 3, abi, 0), 0));
	cr_expect(eq(u64, missing_caller(0x2500, 3, PERF_SAMPLE_REGS_ABI_32, 8), 0));
	cr_expect(eq(u64, missing_caller(0x2500, 3, PERF_SAMPLE_REGS_ABI_NONE, 8), 0));
}

Test(perf_sample, lengths_that_the_body_does_not_have_are_refused)
{
	static const uint64_t lengths[] = {
		9, 10, 11, 1ULL << 32, 1ULL << 61, (1ULL << 61) + 8, UINT64_MAX, UINT64_MAX - 7,
		7, 0
	};
	PerfSample sample;

	for (guint i = 0; i < G_N_ELEMENTS(lengths); i++) {
		Body body = body_new();

		body.chain_length = lengths[i];
		cr_expect_not(parse(&body, &sample), "%" G_GUINT64_FORMAT, lengths[i]);
	}
	for (uint32_t bytes = 0; bytes < 64; bytes++) {
		Body body = body_new();

		body.raw_bytes = bytes;
		/* Padding is the size's own. */
		cr_expect(eq(int, parse(&body, &sample), bytes > 4 && bytes <= 12), "%u", bytes);
	}
	Body body = body_new();

	body.raw_bytes = UINT32_MAX;
	cr_expect_not(parse(&body, &sample));
}

Test(perf_sample, only_the_types_of_samples_that_are_known_are_read)
{
	struct {
		uint32_t tgid, tid;
		uint64_t time_ns;
		uint32_t raw_bytes;
		char raw[4];
		uint64_t cgroup_id;
	} body = { 1, 2, 3, 4, "raw", 5 };
	PerfSample sample;

	cr_assert(perf_sample_parse(&body, sizeof(body),
				    PERF_SAMPLE_NEEDED | PERF_SAMPLE_CGROUP_BIT, &sample));
	cr_expect(eq(u64, sample.cgroup_id, 5));
	cr_expect(eq(u32, sample.depth, 0));
	cr_assert(perf_sample_parse(&body, sizeof(body) - 8, PERF_SAMPLE_NEEDED, &sample));
	cr_expect(eq(u64, sample.cgroup_id, 0));
	cr_expect_not(perf_sample_parse(&body, sizeof(body), PERF_SAMPLE_NEEDED, &sample));
	cr_expect_not(perf_sample_parse(&body, sizeof(body), PERF_SAMPLE_NEEDED | PERF_SAMPLE_ADDR,
					&sample));
	cr_expect_not(
		perf_sample_parse(&body, sizeof(body), PERF_SAMPLE_TID | PERF_SAMPLE_RAW, &sample));
	cr_expect_not(perf_sample_parse((char *)&body + 4, sizeof(body) - 8, PERF_SAMPLE_NEEDED,
					&sample));
}

typedef struct {
	uint64_t first, second;
	uint32_t tgid, tid;
	uint64_t time_ns;
} LostBody;

static struct PerfTaskRecord read_lost(uint32_t type, size_t skipped)
{
	const LostBody body = { 77, 99, 1, 2, 123 };
	const struct perf_event_header header = { .type = type };
	struct PerfTaskRecord record;

	cr_assert(perf_task_record_parse(&header, (const char *)&body + skipped,
					 sizeof(body) - skipped, &record));
	return record;
}

Test(perf_sample, losses_are_reported_with_their_time)
{
	struct PerfTaskRecord record = read_lost(PERF_RECORD_LOST, 0);

	cr_expect(record.kind == PERF_TASK_LOST && record.event_id == 77 && record.lost == 99);
	cr_expect(eq(u64, record.time_ns, 123));
	record = read_lost(PERF_RECORD_LOST_SAMPLES_TYPE, 8);
	cr_expect(record.kind == PERF_TASK_LOST_SAMPLES && record.lost == 99);
	cr_expect(eq(u64, record.time_ns, 123));
	record = read_lost(PERF_RECORD_THROTTLE, 0);
	cr_expect(record.kind == PERF_TASK_NONE);
}

Test(perf_sample, a_name_without_end_is_refused_and_a_long_one_cut)
{
	struct {
		uint32_t tgid, tid;
		char comm[24];
		uint32_t trailer[4];
	} body = { 1, 2, "a-name-of-twenty-bytes.", { 0 } };
	const struct perf_event_header header = { .type = PERF_RECORD_COMM };
	struct PerfTaskRecord record;

	cr_assert(perf_task_record_parse(&header, &body, sizeof(body), &record));
	cr_expect_str_eq(record.comm, "a-name-of-twent");
	cr_expect_not(record.is_exec);
	memset(body.comm, 'x', sizeof(body.comm));
	cr_expect_not(perf_task_record_parse(&header, &body, sizeof(body), &record));
}

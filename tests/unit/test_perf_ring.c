/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_ring.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(perf_ring);

enum { BYTES = 4096 };

/* A ring whose kernel side the tests write. */
typedef struct {
	struct perf_event_mmap_page control;
	_Alignas(8) uint8_t data[BYTES];
	PerfRing ring;
	GArray *types; /* (element-type guint32) of what was visited */
	bool sound;    /* each byte of a body was what was written */
} Stage;

static Stage *stage_new(uint64_t start)
{
	Stage *stage = g_new0(Stage, 1);

	stage->control.data_head = stage->control.data_tail = start;
	stage->ring = (PerfRing){
		.control = &stage->control, .data = stage->data, .data_bytes = BYTES, .tail = start
	};
	stage->types = g_array_new(FALSE, FALSE, sizeof(guint32));
	stage->sound = true;
	return stage;
}

static void stage_free(Stage *stage)
{
	g_array_unref(stage->types);
	g_free(stage->ring.room);
	g_free(stage);
}

static void put(Stage *stage, const void *bytes, size_t length)
{
	for (size_t i = 0; i < length; i++)
		stage->data[(stage->control.data_head + i) % BYTES] = ((const uint8_t *)bytes)[i];
	stage->control.data_head += length;
}

/* A record of that type, each byte of its body as well. */
static void put_record(Stage *stage, uint8_t type, uint16_t size)
{
	const struct perf_event_header header = { .type = type, .size = size };
	g_autofree uint8_t *body = g_malloc(size);

	memset(body, type, size);
	put(stage, &header, sizeof(header));
	put(stage, body, size - sizeof(header));
}

static void visit(const struct perf_event_header *record, void *user_data)
{
	const uint8_t *bytes = (const uint8_t *)record;
	Stage *stage = user_data;
	guint32 type = record->type;

	for (size_t i = sizeof(*record); i < record->size; i++)
		stage->sound = stage->sound && bytes[i] == type;
	g_array_append_val(stage->types, type);
}

Test(perf_ring, records_come_in_order_over_the_end_of_the_ring)
{
	Stage *stage = stage_new(0);

	for (int round = 0; round < 20; round++) {
		for (uint8_t type = 1; type <= 9; type++)
			put_record(stage, type, 8 + type * 40);
		cr_assert(perf_ring_read(&stage->ring, perf_ring_head(&stage->ring), visit, stage));
		cr_expect_eq(stage->control.data_tail, stage->control.data_head);
	}
	cr_expect(stage->sound);
	cr_assert_eq(stage->types->len, 20 * 9);
	for (guint i = 0; i < stage->types->len; i++)
		cr_expect_eq(g_array_index(stage->types, guint32, i), i % 9 + 1);
	stage_free(stage);
}

Test(perf_ring, what_comes_behind_the_head_waits)
{
	Stage *stage = stage_new(BYTES - 16);
	uint64_t head;

	put_record(stage, 1, 32);
	head = perf_ring_head(&stage->ring);
	put_record(stage, 2, 32);
	cr_assert(perf_ring_read(&stage->ring, head, visit, stage));
	cr_expect_eq(stage->types->len, 1);
	cr_expect_eq(stage->control.data_tail, head);
	cr_assert(perf_ring_read(&stage->ring, perf_ring_head(&stage->ring), visit, stage));
	cr_expect_eq(stage->types->len, 2);
	cr_expect(stage->sound);
	stage_free(stage);
}

/* A ring with one record over its end, which reads another such ring before it is looked at. */
typedef struct {
	Stage *own, *other;
} Nested;

static void visit_nested(const struct perf_event_header *record, void *user_data)
{
	const Nested *nested = user_data;

	cr_assert(perf_ring_read(&nested->other->ring, perf_ring_head(&nested->other->ring), visit,
				 nested->other));
	visit(record, nested->own);
}

Test(perf_ring, another_ring_can_be_read_meanwhile)
{
	Nested nested = { stage_new(BYTES - 16), stage_new(BYTES - 16) };

	put_record(nested.own, 1, 64);
	put_record(nested.other, 2, 64);
	cr_assert(perf_ring_read(&nested.own->ring, perf_ring_head(&nested.own->ring), visit_nested,
				 &nested));
	cr_expect_eq(nested.own->types->len, 1);
	cr_expect_eq(nested.other->types->len, 1);
	cr_expect(nested.own->sound);
	stage_free(nested.own);
	stage_free(nested.other);
}

Test(perf_ring, nonsense_is_skipped_and_reported)
{
	static const uint16_t sizes[] = { 0, 4, 12, 4096 };

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		const struct perf_event_header header = { .type = 1, .size = sizes[i] };
		Stage *stage = stage_new(0);

		put(stage, &header, sizeof(header));
		put_record(stage, 2, 32);
		cr_expect_not(
			perf_ring_read(&stage->ring, perf_ring_head(&stage->ring), visit, stage),
			"size %u", sizes[i]);
		cr_expect_eq(stage->types->len, 0);
		cr_expect_eq(stage->control.data_tail, stage->control.data_head);
		stage_free(stage);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/batch.h"
#include "record/format.h"
#include "record/event_reader.h"

#include "count/profile.h"
#include "event_batch.h"
#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(event_reader);

enum { PLENTY = 16 << 20 };

static const uint32_t frames[] = { 0x81000010, 0x81000020 };

/* One event of each kind of record, of two tasks. */
static GByteArray *stream_of_all_kinds(void)
{
	GByteArray *bytes = g_byte_array_new();
	EventBatch batch = event_batch_begin(bytes, 5, 0, 1000);
	uint16_t origin;

	origin = event_batch_origin(&batch, frames, 2, 100, 128);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 1, KMT_CONTEXT_SOFTIRQ, 0xa0);
	event_batch_task(&batch, 10, "one");
	event_batch_event(&batch, KMT_RECORD_FREE, origin, 7, KMT_CONTEXT_TASK, 0xb0);
	event_batch_event(&batch, KMT_RECORD_ALLOC, origin, 3, KMT_CONTEXT_TASK, 0);
	event_batch_repeated(&batch, origin, 4, 6, 1);
	event_batch_heartbeat(&batch, 2000, 9, 44);
	event_batch_header(&batch)->sampling_period = 3;
	event_batch_end(&batch, 9);
	return bytes;
}

static Batch parse(const GByteArray *bytes)
{
	Batch batch;

	cr_assert(batch_parse(bytes->data, bytes->len, &batch));
	return batch;
}

/* Of 0.2.0: it ends before the newest field. */
Test(event_reader, a_shorter_heartbeat_is_read)
{
	struct KmtHeartbeat beat = { .complete_until_ns = 2000, .probe_ns = 44, .passed_over = 7 };
	g_autoptr(EventReader) reader = event_reader_new(NULL);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch whole = event_batch_begin(bytes, 5, 0, 1000);
	const Events *events;
	Batch batch;

	event_batch_add(&whole, &beat, sizeof(beat), KMT_RECORD_HEARTBEAT, 0);
	event_batch_add(&whole, &beat, offsetof(struct KmtHeartbeat, passed_over),
			KMT_RECORD_HEARTBEAT, 0);
	event_batch_header(&whole)->heartbeats = 2;
	event_batch_end(&whole, 0);
	batch = parse(bytes);
	events = event_reader_decode(reader, &batch);
	cr_assert_eq(events->heartbeats_count, 2);
	cr_expect_eq(events->heartbeats[0].passed_over, 7);
	cr_expect_eq(events->heartbeats[1].passed_over, 0);
	cr_expect_eq(events->heartbeats[1].probe_ns, 44);
}

/* As Linux 6.18 records 24 bytes for each of 2 CPUs: with 12 pointers to memory cgroups. */
Test(event_reader, per_cpu_memory_wastes_nothing)
{
	g_autoptr(EventReader) reader = event_reader_new(NULL);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	EventBatch whole = event_batch_begin(bytes, 5, 0, 1000);
	uint16_t origin = event_batch_origin(&whole, frames, 2, 48, 96);
	guint8 *record = bytes->data + bytes->len - sizeof(struct KmtOrigin);
	EventOriginFacts facts;
	const Events *events;
	Batch batch;

	record[offsetof(struct KmtOrigin, source)] = KMT_SOURCE_PERCPU;
	event_batch_event(&whole, KMT_RECORD_ALLOC, origin, 1, KMT_CONTEXT_TASK, 0xa0);
	event_batch_end(&whole, 1);
	batch = parse(bytes);
	events = event_reader_decode(reader, &batch);
	events_read_origin(events, 0, &facts);
	cr_expect_eq(facts.source, KMT_SOURCE_PERCPU);
	cr_expect_eq(facts.bytes_requested, 48);
	cr_expect_eq(facts.bytes_allocated, 48);
}

Test(event_reader, records_become_events)
{
	static const Event wanted[] = {
		{ 0xa0, 3, 3, 1, 0, KMT_NONE, KMT_CONTEXT_SOFTIRQ, false, false },
		{ 0xb0, 3, 3, 7, 0, 0, KMT_CONTEXT_TASK, true, false },
		{ 0, 3, 3, 3, 0, 0, KMT_CONTEXT_TASK, false, false },
		{ EVENT_POINTER_UNKNOWN, 18, 3, 4, 0, 0, KMT_CONTEXT_TASK, false, false },
	};
	g_autoptr(EventReader) reader = event_reader_new(NULL);
	g_autoptr(GByteArray) bytes = stream_of_all_kinds();
	Batch batch = parse(bytes);
	const Events *events = event_reader_decode(reader, &batch);
	EventOriginFacts origin;
	EventTask task;

	cr_assert(eq(sz, events->events_count, G_N_ELEMENTS(wanted)));
	for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
		const Event *event = &events->events[i];

		cr_expect(eq(u64, event_time_ns(events, event), 1000 + wanted[i].after_ns));
		cr_expect(eq(u64, event->pointer, wanted[i].pointer));
		cr_expect(eq(u64, event->weight, wanted[i].weight));
		cr_expect(eq(u32, event->each, wanted[i].each));
		cr_expect(eq(u16, event->task, wanted[i].task));
		cr_expect(eq(u8, event->context, wanted[i].context));
		cr_expect(eq(int, event->free, wanted[i].free));
	}
	cr_expect(eq(u64, events->decoded, 9));
	cr_expect(eq(u64, events->damaged, 0));
	cr_expect(eq(u64, events->last_ns, 1007));
	cr_assert(eq(sz, events->heartbeats_count, 1));
	cr_expect(eq(u64, events->heartbeats[0].complete_until_ns, 2000));
	cr_expect(eq(u64, events->heartbeats[0].skipped, 9));
	cr_expect(eq(u64, events->heartbeats[0].probe_ns, 44));
	events_read_origin(events, 0, &origin);
	cr_expect(eq(u64, origin.bytes_requested, 100));
	cr_expect(eq(u32, origin.depth, 2));
	cr_expect(eq(u64, origin.frames[1], 0xffffffff81000020));
	events_read_task(events, 0, &task);
	cr_expect(eq(u32, task.tgid, 10));
	cr_expect(eq(str, task.comm, (char *)"one"));
}

/* Each sink has definitions under numbers of its own. */
Test(event_reader, sinks_do_not_see_the_memos_of_each_other)
{
	g_autoptr(EventReader) reader = event_reader_new(NULL);
	g_autoptr(GByteArray) bytes = stream_of_all_kinds();
	g_autoptr(Profile) first = profile_new(PLENTY);
	g_autoptr(Profile) second = profile_new(PLENTY);
	Batch batch = parse(bytes);
	const Events *events;

	/* The second one knows another task and another stack already. */
	profile_take(second, event_reader_decode_text(
				     reader, &(EventText){ "a\n", 2, 1,
							   .task = &(EventTask){ .tgid = 1 } }));
	events = event_reader_decode(reader, &batch);
	profile_take(first, events);
	profile_take(second, events);
	profile_take(first, events);
	cr_expect(eq(u64, profile_totals(first).events, 2 * 27));
	cr_expect(eq(u64, profile_totals(second).events, 1 + 27));
	cr_expect(eq(u32, profile_task_count(first) + 1, profile_task_count(second)));
	cr_expect(eq(u32, profile_origin_count(first) + 1, profile_origin_count(second)));
}

Test(event_reader, a_text_is_one_event)
{
	g_autoptr(EventReader) reader = event_reader_new(NULL);
	const EventCache cache = { .name = "dentry", .name_bytes = 6 };
	const EventText text = { "a\nb\n", 4, 12, .cache = &cache, .bytes_requested = 192 };
	const Events *events = event_reader_decode_text(reader, &text);
	EventOriginFacts origin;
	EventCache read;

	cr_assert(eq(sz, events->events_count, 1));
	cr_expect(eq(u64, events->events[0].weight, 12));
	cr_expect(eq(u16, events->events[0].task, KMT_NONE));
	events_read_origin(events, 0, &origin);
	cr_expect(eq(ptr, (void *)origin.text, (void *)text.text));
	cr_expect(eq(u64, origin.bytes_requested, 192));
	cr_assert(eq(u16, origin.cache, 0));
	events_read_cache(events, 0, &read);
	cr_expect(eq(u16, read.name_bytes, 6));
}

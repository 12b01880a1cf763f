/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The encoder, with the emitter's sizes; with those of user space test_event_writer.c has it. */
#include "record/format.h"
#include "record/batch_build.h"

#include "leaks.h"
#include "record/event_writer.h"
#include "session/session.h"
#include "made_session.h"
#include "bench/stream_builder.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(batch_build);

#define TEXT 0xffffffff81000000ULL
enum { MEMORY_BYTES = 64 << 20, CPU = 3, CACHES = 3, KINDS = 8 };

static const EventTask tasks[] = {
	{ .tgid = 7, .tid = 7, .start_time_ns = 5, .comm = "shell", .leader = "shell" },
	{ .tgid = 7, .tid = 8, .start_time_ns = 5, .comm = "worker", .leader = "shell" },
	{ .tgid = 7, .tid = 8, .start_time_ns = 6, .comm = "worker", .leader = "shell" },
	{ .tgid = 7, .tid = 8, .start_time_ns = 6, .comm = "exactly-15-byte", .leader = "shell" },
};
static const EventCache caches[CACHES] = {
	{ .object_bytes = 192, .slot_bytes = 192, .name_bytes = 8, .name = "8 bytes." },
	{ .object_bytes = 128, .slot_bytes = 256, .name_bytes = 11, .name = "kmalloc-128" },
	{ .object_bytes = 0, .slot_bytes = 0, .name_bytes = 13, .name = "kmalloc-large" },
};

/* One event of a stream that both sides write. */
typedef struct {
	const EventTask *task;
	EventFacts facts;
	uint64_t first_frame;
	uint32_t depth;
	bool truncated;
} Given;

static Given event_of(unsigned i)
{
	static const uint64_t firsts[] = { 0x1000, TEXT, TEXT + 0x1000, 0xffff800000000000ULL };
	Given event = { .task = &tasks[i / 2 % G_N_ELEMENTS(tasks)],
			.first_frame = firsts[i % G_N_ELEMENTS(firsts)],
			.depth = i % 11,
			.truncated = i % 11 == 10 };

	event.facts = (EventFacts){ .call_site = TEXT + i % 5,
				    .pointer = i % 9,
				    .bytes_requested = i % 7,
				    .bytes_allocated = 8,
				    .gfp_flags = 0xcc0,
				    .node = (int16_t)(i % 2) - 1,
				    .source = KMT_SOURCE_KMALLOC,
				    .context = (uint8_t)(i % 3),
				    .free = i % 8 == 7,
				    .cache = i % 4 < CACHES ? &caches[i % 4] : NULL };
	return event;
}

static void set_frames(uint64_t *frames, const Given *event)
{
	for (uint32_t i = 0; i < event->depth; i++)
		frames[i] = event->first_frame + i * 16;
}

/* What the emitter keeps of a CPU, in so far as it matters here. */
typedef struct {
	struct KmtBuilder batch;
	struct KmtRepeats repeats;
	uint32_t batch_number;
	uint64_t events_total;
	uint32_t cache_index[CACHES]; /* plus one; 0: not defined */
	GByteArray *stream;
	guint batch_bytes_max;
} Emitter;

static Emitter *emitter_new(void)
{
	Emitter *emitter = g_new0(Emitter, 1);

	emitter->stream = g_byte_array_new();
	/* What was there before must not come through. */
	memset(emitter->batch.data, 0xee, sizeof(emitter->batch.data));
	return emitter;
}

static void emitter_free(Emitter *emitter)
{
	g_byte_array_unref(emitter->stream);
	g_free(emitter);
}

static void emitter_close(Emitter *emitter)
{
	struct KmtBatchHeader *header =
		kmt_build_end(&emitter->batch, CPU, emitter->batch_number++);

	header->events_total = emitter->events_total;
	emitter->batch_bytes_max = MAX(emitter->batch_bytes_max, header->batch_bytes);
	g_byte_array_append(emitter->stream, (const guint8 *)header, header->batch_bytes);
}

static void emitter_make_room(Emitter *emitter, uint64_t time_ns, uint32_t depth)
{
	struct KmtBuilder *batch = &emitter->batch;

	if (batch->length && !(kmt_build_goes_on(batch, time_ns, 1) &&
			       kmt_build_has_room(batch, kmt_build_event_bytes(depth))))
		emitter_close(emitter);
	if (batch->length)
		return;
	kmt_build_open(batch, time_ns, 1, kmt_build_frame_base(TEXT));
	kmt_build_forget(&emitter->repeats);
	memset(emitter->cache_index, 0, sizeof(emitter->cache_index));
}

static void emitter_put_task(Emitter *emitter, const EventTask *task)
{
	const struct KmtTaskFacts facts = {
		.tgid = task->tgid,
		.tid = task->tid,
		.start_time_ns = task->start_time_ns,
		.cgroup_id = KMT_CGROUP_NOT_READ,
		.comm = task->comm,
		.leader = task->tid == task->tgid ? task->comm : task->leader,
	};
	struct KmtTask *defined = kmt_build_task(&emitter->batch, &facts);

	if (defined)
		defined->cgroup_id = task->cgroup_id;
}

static uint32_t emitter_put_cache(Emitter *emitter, const EventCache *cache)
{
	uint32_t *index = cache ? &emitter->cache_index[cache - caches] : NULL;

	if (!cache)
		return KMT_NONE;
	if (!*index)
		*index = 1 + kmt_build_cache(&emitter->batch, cache->object_bytes,
					     cache->slot_bytes, cache->name, cache->name_bytes);
	return *index - 1;
}

/* Puts everything but the event itself into the batch. Returns its origin. */
static uint32_t emitter_define(Emitter *emitter, uint64_t time_ns, const Given *event)
{
	uint64_t frames[KMT_STACK_DEPTH_MAX];
	struct KmtWalk walk = { frames, event->depth, .truncated = event->truncated };
	const struct KmtFacts facts = {
		.call_site = event->facts.call_site,
		.bytes_requested = event->facts.bytes_requested,
		.bytes_allocated = event->facts.bytes_allocated,
		.gfp_flags = event->facts.gfp_flags,
		.node = event->facts.node,
		.source = event->facts.source,
	};

	set_frames(frames, event);
	kmt_build_measure(&walk, kmt_build_frame_base(TEXT));
	emitter_make_room(emitter, time_ns, walk.depth);
	emitter_put_task(emitter, event->task);
	return kmt_build_origin(&emitter->batch, &facts,
				emitter_put_cache(emitter, event->facts.cache), &walk);
}

static void emitter_add(Emitter *emitter, uint64_t time_ns, const Given *event)
{
	uint32_t origin = emitter_define(emitter, time_ns, event);

	kmt_build_event(&emitter->batch, event->facts.free ? KMT_RECORD_FREE : KMT_RECORD_ALLOC,
			origin, kmt_build_when(&emitter->batch, time_ns, event->facts.context),
			event->facts.pointer);
	emitter->events_total++;
}

static Session *decode(const GByteArray *stream)
{
	Session *session = session_new(MEMORY_BYTES);

	made_session_feed(session, stream);
	cr_expect(eq(u64, batch_reader_totals(session->reader).damaged, 0));
	cr_expect(eq(u64, loss_ledger_totals(session->loss).damaged.high, 0));
	return session;
}

/* Returns what the writer of user space makes of the first events. */
static GByteArray *written_events(unsigned count)
{
	GByteArray *stream = g_byte_array_new();
	g_autoptr(EventWriter) writer = event_writer_new(stream_sink_bytes, stream);
	EventCpu cpu = { .cpu = CPU, .sampling_period = 1, .probe_ns = 77 };

	event_writer_open(writer, &cpu);
	for (unsigned i = 0; i < count; i++) {
		Given event = event_of(i % KINDS);
		uint64_t frames[KMT_STACK_DEPTH_MAX];

		set_frames(frames, &event);
		event_writer_add(writer, 1000 + i, event.task, &event.facts, 1, frames, event.depth,
				 event.truncated);
	}
	event_writer_beat(writer, 5000);
	event_writer_close(writer);
	return stream;
}

/* A batch that fits into both sizes, with each kind of record that both make. The base of the
   frames is of the first stack, which the writer meets second. */
Test(batch_build, both_sides_write_the_same_bytes)
{
	enum { COUNT = 40 };
	g_autoptr(GByteArray) written = written_events(COUNT);
	Emitter *emitter = emitter_new();
	guint different = 0;

	for (unsigned i = 0; i < COUNT; i++) {
		Given event = event_of(i % KINDS);

		emitter_add(emitter, 1000 + i, &event);
	}
	kmt_build_heartbeat(&emitter->batch, 5000, 77);
	emitter_close(emitter);
	cr_expect(eq(u32, emitter->batch_number, 1));
	cr_assert(eq(u32, emitter->stream->len, written->len));
	while (different < written->len &&
	       written->data[different] == emitter->stream->data[different])
		different++;
	cr_expect(eq(u32, different, written->len));
	emitter_free(emitter);
}

Test(batch_build, every_event_of_small_batches_comes_back)
{
	enum { COUNT = 50000, STACKS = 700 };
	Emitter *emitter = emitter_new();
	uint64_t by_stack[STACKS] = { 0 };
	Session *session;

	for (unsigned i = 0; i < COUNT; i++) {
		Given event = event_of(i % KINDS);

		event.first_frame = TEXT + i % STACKS * 4096;
		event.depth = 1 + i % STACKS % 20;
		event.truncated = false;
		event.facts.free = false;
		event.facts.pointer = 64;
		emitter_add(emitter, 1000 + i, &event);
	}
	emitter_close(emitter);
	session = decode(emitter->stream);
	cr_expect(eq(u64, profile_totals(session->profile).events, COUNT));
	cr_expect(eq(u64, loss_ledger_totals(session->loss).transport.high, 0));
	cr_expect(le(u32, emitter->batch_bytes_max, KMT_BUILD_BYTES));
	cr_expect(lt(u32, KMT_BUILD_BYTES - 400, emitter->batch_bytes_max));
	for (uint32_t i = 0; i < profile_cell_count(session->profile); i++) {
		const ProfileCell *cell = profile_cell(session->profile, i);
		const ProfileOrigin *origin = profile_origin(session->profile, cell->origin);
		uint64_t frames[KMT_STACK_DEPTH_MAX];
		uint64_t stack;

		if (!cell->events)
			continue;
		cr_assert(
			lt(u32, 0, profile_stack_frames(session->profile, origin->stack, frames)));
		stack = (frames[0] - TEXT) / 4096;
		cr_assert(lt(u64, stack, STACKS));
		cr_expect(eq(u32, profile_stack_frames(session->profile, origin->stack, frames),
			     1 + (uint32_t)stack % 20));
		by_stack[stack] += cell->events;
	}
	for (unsigned i = 0; i < STACKS; i++)
		cr_expect(eq(u64, by_stack[i], COUNT / STACKS + (i < COUNT % STACKS)));
	session_free(session);
	emitter_free(emitter);
}

/* The largest event there can be, in the smallest room that is said to do. */
Test(batch_build, an_event_takes_no_more_than_its_room)
{
	Emitter *emitter = emitter_new();
	EventCache longest = { .name_bytes = KMT_CACHE_NAME_BYTES_MAX };
	Given event = event_of(0);
	uint32_t length;

	memset(longest.name, 'x', sizeof(longest.name));
	event.first_frame = 0xffff800000000000ULL;
	event.depth = KMT_STACK_DEPTH_MAX;
	event.facts.cache = NULL;
	emitter_make_room(emitter, 1000, event.depth);
	length = emitter->batch.length;
	kmt_build_cache(&emitter->batch, 1, 1, longest.name, longest.name_bytes);
	kmt_build_sampled(&emitter->batch, KMT_RECORD_ALLOC, emitter_define(emitter, 1000, &event),
			  0, 1, 5);
	cr_expect(eq(u32, emitter->batch.length - length, kmt_build_event_bytes(event.depth)));
	emitter_free(emitter);
}

static void repeat(Emitter *emitter, uint64_t time_ns, const EventTask *task, uint32_t context)
{
	Given event = event_of(0);
	uint32_t origin;

	event.task = task;
	origin = emitter_define(emitter, time_ns, &event);
	kmt_build_repeat(&emitter->batch, &emitter->repeats, origin,
			 kmt_build_when(&emitter->batch, time_ns, context), 64);
	emitter->events_total++;
}

/* Returns how many records of a type the stream's batch has, and of the last of them how many
   events it stands for and over which time. */
static unsigned records_of(const GByteArray *stream, uint8_t type, struct KmtRepeated *last)
{
	const uint8_t *at = stream->data + sizeof(struct KmtBatchHeader);
	const uint8_t *end = stream->data + stream->len - sizeof(struct KmtBatchTrailer);
	unsigned count = 0;

	for (; at < end; at += at[1] * KMT_RECORD_UNIT_BYTES)
		if (at[0] == type) {
			memcpy(last, at, sizeof(*last));
			count++;
		}
	return count;
}

Test(batch_build, equal_allocations_of_a_span_are_one_record)
{
	Emitter *emitter = emitter_new();
	struct KmtRepeated last;
	Session *session;

	emitter_make_room(emitter, 1000, 0);
	for (unsigned i = 0; i < 5; i++)
		repeat(emitter, 1000 + i, &tasks[0], KMT_CONTEXT_TASK);
	/* Of another task, in an interrupt, and in the next span: records of their own. */
	repeat(emitter, 1006, &tasks[1], KMT_CONTEXT_TASK);
	repeat(emitter, 1007, &tasks[0], KMT_CONTEXT_HARDIRQ);
	kmt_build_begin_span(&emitter->batch, &emitter->repeats, 3000);
	for (unsigned i = 0; i < 3; i++)
		repeat(emitter, 2000 + 10 * i, &tasks[0], KMT_CONTEXT_HARDIRQ);
	emitter_close(emitter);
	cr_expect(eq(u32, records_of(emitter->stream, KMT_RECORD_ALLOC, &last), 2));
	cr_expect(eq(u32, records_of(emitter->stream, KMT_RECORD_REPEATED, &last), 2));
	cr_expect(eq(u32, last.when, 1000 | (uint32_t)KMT_CONTEXT_HARDIRQ << KMT_CONTEXT_SHIFT));
	cr_expect(eq(u32, last.events, 3));
	cr_expect(eq(u32, last.span_ns, 20));
	session = decode(emitter->stream);
	cr_expect(eq(u64, profile_totals(session->profile).events, 10));
	cr_expect(eq(u64, loss_ledger_totals(session->loss).transport.high, 0));
	session_free(session);
	emitter_free(emitter);
}

Test(batch_build, a_batch_ends_when_its_times_or_its_period_do)
{
	Emitter *emitter = emitter_new();
	struct KmtBuilder *batch = &emitter->batch;

	kmt_build_open(batch, 1000, 2, 0);
	cr_expect(kmt_build_goes_on(batch, 1000 + KMT_BUILD_NS_MAX, 2));
	cr_expect_not(kmt_build_goes_on(batch, 1001 + KMT_BUILD_NS_MAX, 2));
	cr_expect_not(kmt_build_goes_on(batch, 1000, 4));
	/* An interrupt's, whose record came first. */
	cr_expect(eq(u32, kmt_build_when(batch, 990, KMT_CONTEXT_TASK), 0));
	emitter_free(emitter);
}

Test(batch_build, frames_around_the_kernels_text_are_narrow)
{
	const uint64_t base = kmt_build_frame_base(TEXT);

	cr_expect(le(u64, TEXT - base, 0x80000000U));
	cr_expect(eq(u64, kmt_build_frame_base(0xc0100000U), 0));
}

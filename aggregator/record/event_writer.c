/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes batches of the events of the perf collector, with the encoder that the emitter also uses
 * (batch_build.h). One open batch of 128 KB; tables of what the batch has defined already: tasks,
 * caches, stacks, origins. perf_read.c switches it from CPU to CPU and closes the batches at each
 * pass.
 */
#include "record/event_writer.h"

/* Fits into a core's cache mostly, and most stacks repeat within it. */
#define KMT_BUILD_BYTES (128 << 10)
#define KMT_BUILD_SEEN 8192
#define KMT_BUILD_TASKS_SEEN 256
#include "record/format.h"
#include "record/batch_build.h"
#include "record/point_build.h"

#include <xxhash.h>

enum {
	CACHES_SEEN = 256,
	STACKS_KNOWN = 512,
};

/* A stack of a batch. */
typedef struct {
	uint64_t batch;      /* its number in batches_opened; 0: none */
	struct KmtWalk walk; /* its frames are the next member */
	uint64_t frames[KMT_STACK_DEPTH_MAX];
} KnownStack;

struct EventWriter {
	BatchSender send;
	void *user_data;
	EventCpu *cpu;
	uint64_t batches_opened;
	KmtOffset cache_seen[CACHES_SEEN]; /* offset by hash of the cache definition; 0: none */
	/* By some of their frames. Comparing all frames with those of a stack that is probably
	   equal costs less than hashing them. */
	KnownStack known[STACKS_KNOWN];
	struct KmtBuilder batch;
};

EventWriter *event_writer_new(BatchSender send, void *user_data)
{
	EventWriter *writer = g_new0(EventWriter, 1);

	writer->send = send;
	writer->user_data = user_data;
	return writer;
}

void event_writer_free(EventWriter *writer)
{
	g_free(writer);
}

void event_writer_take_points(EventWriter *writer)
{
	writer->batch.kind = KMT_BATCH_POINT_EVENTS;
}

void event_writer_open(EventWriter *writer, EventCpu *cpu)
{
	if (writer->cpu != cpu)
		event_writer_close(writer);
	writer->cpu = cpu;
}

void event_writer_close(EventWriter *writer)
{
	EventCpu *cpu = writer->cpu;
	struct KmtBatchHeader *header;

	if (!writer->batch.length)
		return;
	header = kmt_build_end(&writer->batch, cpu->cpu, cpu->batch_number++);
	header->events_total = cpu->events_written + cpu->events_lost;
	header->left_out_self = cpu->left_out_self;
	header->left_out_interrupt = cpu->left_out_interrupt;
	if (cpu->by_bits)
		header->version = KMT_VERSION_BY_BITS;
	writer->send(header, header->batch_bytes, writer->user_data);
}

/* Ensures that a batch is open with room for a record at that time. */
static void make_room(EventWriter *writer, uint64_t time_ns, uint32_t bytes)
{
	struct KmtBuilder *batch = &writer->batch;
	uint32_t period = writer->cpu->sampling_period;

	if (batch->length &&
	    !(kmt_build_goes_on(batch, time_ns, period) && kmt_build_has_room(batch, bytes)))
		event_writer_close(writer);
	if (batch->length)
		return;
	kmt_build_open(batch, time_ns, period, 0);
	writer->batches_opened++;
	memset(writer->cache_seen, 0, sizeof(writer->cache_seen));
}

static void put_task(EventWriter *writer, const EventTask *task)
{
	const struct KmtTaskFacts facts = {
		.tgid = task->tgid,
		.tid = task->tid,
		.start_time_ns = task->start_time_ns,
		.cgroup_id = task->cgroup_id,
		.comm = task->comm,
		.leader = task->leader,
	};

	kmt_build_task(&writer->batch, &facts);
}

static bool cache_is(EventWriter *writer, uint32_t offset, const EventCache *cache)
{
	const struct KmtCache *seen = kmt_build_at(&writer->batch, offset);

	return offset && seen->object_bytes == cache->object_bytes &&
	       seen->slot_bytes == cache->slot_bytes && seen->name_bytes == cache->name_bytes &&
	       !memcmp(seen + 1, cache->name, cache->name_bytes);
}

static uint32_t put_cache(EventWriter *writer, const EventCache *cache)
{
	const struct KmtCache *known;
	KmtOffset *seen;

	if (!cache)
		return KMT_NONE;
	seen = &writer->cache_seen[XXH3_64bits(cache->name, cache->name_bytes) & (CACHES_SEEN - 1)];
	known = kmt_build_at(&writer->batch, *seen);
	if (cache_is(writer, *seen, cache))
		return known->head.index;
	*seen = writer->batch.length;
	return kmt_build_cache(&writer->batch, cache->object_bytes, cache->slot_bytes, cache->name,
			       cache->name_bytes);
}

/* Stacks with the same start and end mostly differ in the middle, or in their depth. */
static KnownStack *known_place(EventWriter *writer, const struct KmtWalk *walk)
{
	const KmtFrame *frames = walk->frames;
	uint64_t some = frames[walk->depth / 4] + frames[walk->depth / 2] * 3 +
			frames[walk->depth * 3 / 4] * 5 + walk->depth;

	return &writer->known[(uint32_t)some * 0x9e3779b1U >> 16 & (STACKS_KNOWN - 1)];
}

/* Finds the stack in the open batch, or defines it there. */
static void put_stack(EventWriter *writer, struct KmtWalk *walk)
{
	KnownStack *known = known_place(writer, walk);
	size_t bytes = walk->depth * sizeof(*walk->frames);

	if (known->batch == writer->batches_opened && known->walk.depth == walk->depth &&
	    known->walk.truncated == walk->truncated &&
	    !memcmp(known->frames, walk->frames, bytes)) {
		*walk = known->walk;
		return;
	}
	kmt_build_measure(walk, writer->batch.frame_base);
	walk->known = kmt_build_stack(&writer->batch, walk) + 1;
	memcpy(known->frames, walk->frames, bytes);
	known->walk = *walk;
	known->walk.frames = known->frames;
	known->batch = writer->batches_opened;
}

static struct KmtWalk walk_of(const uint64_t *frames, uint32_t depth, bool truncated)
{
	return (struct KmtWalk){
		.frames = frames,
		.depth = MIN(depth, KMT_STACK_DEPTH_MAX),
		.truncated = truncated || depth > KMT_STACK_DEPTH_MAX,
	};
}

/* Returns the index of the stack of a walk, or KMT_NONE. */
static uint32_t put_kernel_stack(EventWriter *writer, struct KmtWalk *walk)
{
	/* Frames are relative to a base near the first one of the batch. */
	if (walk->depth && !writer->batch.stacks)
		writer->batch.frame_base = kmt_build_frame_base(walk->frames[0]);
	if (walk->depth)
		put_stack(writer, walk);
	return walk->depth ? walk->known - 1 : KMT_NONE;
}

/* An event with the batch's period needs no weight of its own. */
static void put_event(EventWriter *writer, const struct KmtFacts *facts, uint32_t weight,
		      uint32_t origin, uint32_t when)
{
	struct KmtBuilder *batch = &writer->batch;

	if (weight == MAX(batch->period, 1))
		kmt_build_event(batch, facts->type, origin, when, facts->pointer);
	else
		kmt_build_sampled(batch, facts->type, origin, when, facts->pointer, weight);
	writer->cpu->events_written++;
}

WrittenOrigin event_writer_add(EventWriter *writer, uint64_t time_ns, const EventTask *task,
			       const EventFacts *event, uint32_t weight, const uint64_t *frames,
			       uint32_t depth, bool truncated)
{
	struct KmtBuilder *batch = &writer->batch;
	struct KmtWalk walk = walk_of(frames, depth, truncated);
	const struct KmtFacts facts = {
		.call_site = event->call_site,
		.pointer = event->pointer,
		.bytes_requested = event->bytes_requested,
		.bytes_allocated = event->bytes_allocated,
		.gfp_flags = event->gfp_flags,
		.node = event->node,
		.source = event->source,
		.kind = event->kind,
		.type = event->free ? KMT_RECORD_FREE : KMT_RECORD_ALLOC,
	};
	uint32_t cache, origin;

	make_room(writer, time_ns, kmt_build_event_bytes(walk.depth));
	put_task(writer, task);
	cache = put_cache(writer, event->cache);
	put_kernel_stack(writer, &walk);
	origin = kmt_build_origin(batch, &facts, cache, &walk);
	put_event(writer, &facts, weight, origin, kmt_build_when(batch, time_ns, event->context));
	return (WrittenOrigin){ writer->batches_opened, origin };
}

bool event_writer_add_again(EventWriter *writer, uint64_t time_ns, const EventTask *task,
			    const EventFacts *event, const WrittenOrigin *origin)
{
	struct KmtBuilder *batch = &writer->batch;

	make_room(writer, time_ns, kmt_build_event_bytes(0));
	if (origin->batch != writer->batches_opened)
		return false;
	put_task(writer, task);
	kmt_build_event(batch, event->free ? KMT_RECORD_FREE : KMT_RECORD_ALLOC, origin->index,
			kmt_build_when(batch, time_ns, event->context), event->pointer);
	writer->cpu->events_written++;
	return true;
}

static uint32_t columns_bytes(const PointHit *hit)
{
	return hit->columns ? MIN(hit->columns_bytes, KMT_COLUMNS_BYTES_MAX) : 0;
}

void event_writer_add_hit(EventWriter *writer, const EventTask *task, const PointHit *hit)
{
	struct KmtBuilder *batch = &writer->batch;
	struct KmtWalk walk = walk_of(hit->frames, hit->depth, hit->truncated);
	struct KmtWalk user_walk = walk_of(hit->user_frames, hit->user_depth, hit->user_truncated);
	const struct KmtPointFacts facts = { hit->value, hit->weight, hit->point };
	uint32_t columns = columns_bytes(hit);
	uint32_t stack;

	user_walk.with_data = hit->user_has_data;
	make_room(writer, hit->time_ns,
		  kmt_build_point_bytes(walk.depth, user_walk.depth) +
			  (uint32_t)sizeof(struct KmtColumns) + columns);
	put_task(writer, task);
	stack = put_kernel_stack(writer, &walk);
	kmt_build_point(batch, &facts, kmt_build_when(batch, hit->time_ns, hit->context), stack,
			&user_walk);
	if (columns)
		kmt_build_columns(batch, hit->columns, columns);
	writer->cpu->events_written++;
}

void event_writer_beat(EventWriter *writer, uint64_t complete_until_ns)
{
	struct KmtHeartbeat *beat;

	make_room(writer, complete_until_ns, sizeof(*beat));
	beat = kmt_build_heartbeat(&writer->batch, complete_until_ns, writer->cpu->probe_ns);
	beat->passed_over = writer->cpu->passed_over;
}

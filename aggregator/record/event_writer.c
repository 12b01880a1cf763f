/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "record/event_writer.h"

#include <string.h>
#include <xxhash.h>

enum {
	BATCH_BYTES = 128 << 10, /* mostly in a core's cache, and most stacks repeat in it */
	SEEN = 8192,             /* stacks and origins that can be found again; a power of two */
	TASKS_SEEN = 256,
	CACHES_SEEN = 256,
};
/* The time of an event must fit into KmtEvent.when. */
#define BATCH_NS 1000000000ULL
/* Kernel and module text lie within 2 GiB around each other on all 64-bit machines. */
#define FRAMES_AROUND 0x80000000ULL

/* A stack on its way into the batch. */
typedef struct {
	const uint64_t *frames;
	uint32_t depth;
	bool truncated;
	bool narrow; /* all frames fit into 4 bytes above the batch's base */
	uint32_t hash;
} Walk;

struct EventWriter {
	BatchSender send;
	void *user_data;
	EventCpu *cpu;
	uint32_t length; /* of the open batch; 0: none is open */
	uint32_t stacks, origins, tasks, caches;
	uint32_t task_at; /* where the task in force is; 0: none is */
	uint32_t events, heartbeats;
	uint32_t sampling_period;
	uint64_t base_time_ns;
	uint64_t frame_base;
	uint32_t stack_seen[SEEN]; /* where a stack of that hash is in the batch; 0: nowhere */
	uint32_t origin_seen[SEEN];
	uint32_t task_seen[TASKS_SEEN];
	uint32_t cache_seen[CACHES_SEEN];
	/* As the batch's own alignment is 8. */
	uint64_t data[BATCH_BYTES / sizeof(uint64_t)];
};

/* The most that one event can append. */
static const uint32_t event_room = sizeof(struct KmtTask) + sizeof(struct KmtStack) +
				   KMT_STACK_DEPTH_MAX * sizeof(uint64_t) +
				   sizeof(struct KmtCache) + KMT_CACHE_NAME_BYTES_MAX +
				   sizeof(struct KmtOrigin) + sizeof(struct KmtSampled);

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

static void *at_offset(EventWriter *writer, uint32_t offset)
{
	return (uint8_t *)writer->data + offset;
}

/* Appends a record of this many bytes, rounded up; the caller has made sure that there is room. */
static void *append(EventWriter *writer, uint8_t type, uint32_t index, uint32_t bytes)
{
	struct KmtRecordHead *head = at_offset(writer, writer->length);
	uint32_t units = (bytes + KMT_RECORD_UNIT_BYTES - 1) / KMT_RECORD_UNIT_BYTES;

	head->type = type;
	head->units = (uint8_t)units;
	head->index = (uint16_t)index;
	writer->length += units * KMT_RECORD_UNIT_BYTES;
	return head;
}

void event_writer_open(EventWriter *writer, EventCpu *cpu)
{
	if (writer->cpu != cpu)
		event_writer_close(writer);
	writer->cpu = cpu;
}

static void begin_batch(EventWriter *writer, uint64_t time_ns)
{
	writer->length = sizeof(struct KmtBatchHeader);
	writer->base_time_ns = time_ns;
	writer->sampling_period = writer->cpu->sampling_period;
	writer->frame_base = 0;
	writer->events = writer->heartbeats = 0;
	writer->stacks = writer->origins = writer->tasks = writer->caches = 0;
	writer->task_at = 0;
	memset(writer->stack_seen, 0, sizeof(writer->stack_seen));
	memset(writer->origin_seen, 0, sizeof(writer->origin_seen));
	memset(writer->task_seen, 0, sizeof(writer->task_seen));
	memset(writer->cache_seen, 0, sizeof(writer->cache_seen));
}

static void fill_header(EventWriter *writer)
{
	const EventCpu *cpu = writer->cpu;
	const struct KmtBatchHeader header = {
		.magic = KMT_MAGIC,
		.version = KMT_VERSION,
		.word_bytes = sizeof(long),
		.header_bytes = sizeof(header),
		.batch_bytes = writer->length + sizeof(struct KmtBatchTrailer),
		.kind = KMT_BATCH_EVENTS,
		.heartbeats = (uint8_t)writer->heartbeats,
		.field_set = KMT_FIELD_SET,
		.cpu = cpu->cpu,
		.batch_number = cpu->batch_number,
		.base_time_ns = writer->base_time_ns,
		.frame_base = writer->frame_base,
		.events = writer->events,
		.sampling_period = writer->sampling_period,
		.events_total = cpu->events_written + cpu->events_lost,
		.left_out_self = cpu->left_out_self,
		.left_out_interrupt = cpu->left_out_interrupt,
	};

	memcpy(writer->data, &header, sizeof(header));
}

void event_writer_close(EventWriter *writer)
{
	struct KmtBatchTrailer trailer = { .end_magic = KMT_END_MAGIC };

	if (!writer->length)
		return;
	fill_header(writer);
	trailer.batch_number = writer->cpu->batch_number++;
	memcpy(at_offset(writer, writer->length), &trailer, sizeof(trailer));
	writer->send(writer->data, writer->length + sizeof(trailer), writer->user_data);
	writer->length = 0;
}

/* Sees to it that a batch is open which has room for a record at that time. */
static void make_room(EventWriter *writer, uint64_t time_ns, uint32_t bytes)
{
	uint32_t needed = bytes + (uint32_t)sizeof(struct KmtBatchTrailer);

	if (writer->length &&
	    (time_ns > writer->base_time_ns + BATCH_NS ||
	     writer->sampling_period != writer->cpu->sampling_period ||
	     writer->length + needed > BATCH_BYTES || writer->stacks == KMT_DEFINITIONS_MAX ||
	     writer->origins == KMT_DEFINITIONS_MAX || writer->tasks == KMT_DEFINITIONS_MAX ||
	     writer->caches == KMT_DEFINITIONS_MAX))
		event_writer_close(writer);
	if (!writer->length)
		begin_batch(writer, time_ns);
}

static bool task_is(EventWriter *writer, uint32_t offset, const EventTask *task)
{
	const struct KmtTask *seen = at_offset(writer, offset);

	return offset && seen->tid == task->tid && seen->tgid == task->tgid &&
	       seen->cgroup_id == task->cgroup_id && seen->start_time_ns == task->start_time_ns &&
	       !memcmp(seen->comm, task->comm, sizeof(seen->comm)) &&
	       !memcmp(seen->leader, task->leader, sizeof(seen->leader));
}

static void define_task(EventWriter *writer, const EventTask *task)
{
	struct KmtTask *record =
		append(writer, KMT_RECORD_TASK, writer->tasks++, sizeof(struct KmtTask));

	record->tgid = task->tgid;
	record->tid = task->tid;
	record->reserved = 0;
	record->start_time_ns = task->start_time_ns;
	record->cgroup_id = task->cgroup_id;
	memcpy(record->comm, task->comm, sizeof(record->comm));
	memcpy(record->leader, task->leader, sizeof(record->leader));
}

/* Brings the task into force: mostly it is already. */
static void put_task(EventWriter *writer, const EventTask *task)
{
	uint32_t *seen = &writer->task_seen[task->tid & (TASKS_SEEN - 1)];
	const struct KmtTask *known;

	if (task_is(writer, writer->task_at, task))
		return;
	if (task_is(writer, *seen, task)) {
		known = at_offset(writer, *seen);
		append(writer, KMT_RECORD_TASK_USE, known->head.index, KMT_RECORD_UNIT_BYTES);
		writer->task_at = *seen;
		return;
	}
	writer->task_at = *seen = writer->length;
	define_task(writer, task);
}

/* The first stack of a batch says around which address its frames are told. */
static void measure_stack(EventWriter *writer, Walk *walk)
{
	uint64_t wide = 0;

	walk->hash = (uint32_t)XXH3_64bits(walk->frames, walk->depth * sizeof(walk->frames[0]));
	if (walk->depth && !writer->stacks && walk->frames[0] > FRAMES_AROUND)
		writer->frame_base = walk->frames[0] - FRAMES_AROUND;
	for (uint32_t i = 0; i < walk->depth; i++)
		wide |= walk->frames[i] - writer->frame_base;
	walk->narrow = !(wide >> 32);
}

static bool stack_is(EventWriter *writer, uint32_t offset, const Walk *walk)
{
	const struct KmtStack *stack = at_offset(writer, offset);
	const uint32_t *narrow = (const uint32_t *)(stack + 1);

	if (!offset || stack->depth != walk->depth ||
	    (stack->head.type == KMT_RECORD_STACK4) != walk->narrow ||
	    (stack->flags & KMT_STACK_TRUNCATED) != walk->truncated)
		return false;
	if (!walk->narrow)
		return !memcmp(stack + 1, walk->frames, walk->depth * sizeof(walk->frames[0]));
	for (uint32_t i = 0; i < walk->depth; i++)
		if (narrow[i] != (uint32_t)(walk->frames[i] - writer->frame_base))
			return false;
	return true;
}

static void define_stack(EventWriter *writer, const Walk *walk)
{
	uint8_t type = walk->narrow ? KMT_RECORD_STACK4 : KMT_RECORD_STACK8;
	uint32_t frame_bytes = walk->narrow ? 4 : 8;
	struct KmtStack *stack =
		append(writer, type, writer->stacks++, sizeof(*stack) + walk->depth * frame_bytes);
	uint32_t *narrow = (uint32_t *)(stack + 1);

	stack->depth = (uint16_t)walk->depth;
	stack->flags = walk->truncated ? KMT_STACK_TRUNCATED : 0;
	if (!walk->narrow)
		memcpy(stack + 1, walk->frames, walk->depth * sizeof(walk->frames[0]));
	for (uint32_t i = 0; walk->narrow && i < walk->depth; i++)
		narrow[i] = (uint32_t)(walk->frames[i] - writer->frame_base);
	if (walk->narrow && walk->depth % 2)
		narrow[walk->depth] = 0; /* the padding */
}

static uint32_t put_stack(EventWriter *writer, const Walk *walk)
{
	uint32_t *seen = &writer->stack_seen[walk->hash & (SEEN - 1)];
	const struct KmtStack *stack;

	if (!walk->depth)
		return KMT_NONE;
	if (!stack_is(writer, *seen, walk)) {
		*seen = writer->length;
		define_stack(writer, walk);
	}
	stack = at_offset(writer, *seen);
	return stack->head.index;
}

static bool cache_is(EventWriter *writer, uint32_t offset, const EventCache *cache)
{
	const struct KmtCache *seen = at_offset(writer, offset);

	return offset && seen->object_bytes == cache->object_bytes &&
	       seen->slot_bytes == cache->slot_bytes && seen->name_bytes == cache->name_bytes &&
	       !memcmp(seen + 1, cache->name, cache->name_bytes);
}

static void define_cache(EventWriter *writer, const EventCache *cache)
{
	static const uint8_t zeros[KMT_RECORD_UNIT_BYTES];
	uint32_t padding = -(uint32_t)cache->name_bytes % KMT_RECORD_UNIT_BYTES;
	struct KmtCache *record = append(writer, KMT_RECORD_CACHE, writer->caches++,
					 sizeof(*record) + cache->name_bytes);
	char *name = (char *)(record + 1);

	record->object_bytes = cache->object_bytes;
	record->slot_bytes = cache->slot_bytes;
	record->name_bytes = cache->name_bytes;
	record->reserved = 0;
	memcpy(name, cache->name, cache->name_bytes);
	memcpy(name + cache->name_bytes, zeros, padding);
}

static uint32_t put_cache(EventWriter *writer, const EventCache *cache)
{
	const struct KmtCache *known;
	uint32_t *seen;

	if (!cache)
		return KMT_NONE;
	seen = &writer->cache_seen[XXH3_64bits(cache->name, cache->name_bytes) & (CACHES_SEEN - 1)];
	if (!cache_is(writer, *seen, cache)) {
		*seen = writer->length;
		define_cache(writer, cache);
	}
	known = at_offset(writer, *seen);
	return known->head.index;
}

static bool origin_is(EventWriter *writer, uint32_t offset, const EventFacts *facts, uint32_t stack,
		      uint32_t cache)
{
	const struct KmtOrigin *origin = at_offset(writer, offset);

	return offset && origin->stack == stack && origin->cache == cache &&
	       origin->call_site == facts->call_site &&
	       origin->bytes_requested == facts->bytes_requested &&
	       origin->bytes_allocated == facts->bytes_allocated &&
	       origin->gfp_flags == facts->gfp_flags && origin->node == facts->node &&
	       origin->source == facts->source;
}

static void define_origin(EventWriter *writer, const EventFacts *facts, uint32_t stack,
			  uint32_t cache)
{
	struct KmtOrigin *origin =
		append(writer, KMT_RECORD_ORIGIN, writer->origins++, sizeof(*origin));

	origin->stack = (uint16_t)stack;
	origin->cache = (uint16_t)cache;
	origin->call_site = facts->call_site;
	origin->bytes_requested = facts->bytes_requested;
	origin->bytes_allocated = facts->bytes_allocated;
	origin->gfp_flags = facts->gfp_flags;
	origin->node = facts->node;
	origin->source = facts->source;
	origin->reserved = 0;
}

static uint32_t put_origin(EventWriter *writer, const EventFacts *facts, const Walk *walk)
{
	uint32_t stack = put_stack(writer, walk);
	uint32_t cache = put_cache(writer, facts->cache);
	/* Odd constants of good hashes: any that spread the bits will do. */
	uint32_t hash = (stack * 0x9e3779b1U) ^ (cache * 0xc2b2ae35U) ^ (uint32_t)facts->call_site ^
			((uint32_t)facts->bytes_requested * 0x85ebca6bU);
	uint32_t *seen = &writer->origin_seen[(hash ^ hash >> 16) & (SEEN - 1)];
	const struct KmtOrigin *origin;

	if (!origin_is(writer, *seen, facts, stack, cache)) {
		*seen = writer->length;
		define_origin(writer, facts, stack, cache);
	}
	origin = at_offset(writer, *seen);
	return origin->head.index;
}

/* Records of interrupts nest, so a time may lie a little before that of the record ahead. */
static uint32_t since_base(const EventWriter *writer, uint64_t time_ns)
{
	return time_ns > writer->base_time_ns ? (uint32_t)(time_ns - writer->base_time_ns) : 0;
}

/* One that stands for as many as the batch says needs no weight of its own. */
static void put_event(EventWriter *writer, const EventFacts *facts, uint32_t weight,
		      uint32_t origin, uint32_t when)
{
	bool is_plain = weight == MAX(writer->sampling_period, 1);
	uint8_t plain_type = facts->free ? KMT_RECORD_FREE : KMT_RECORD_ALLOC;
	struct KmtSampled *event =
		append(writer, is_plain ? plain_type : KMT_RECORD_SAMPLED, origin,
		       is_plain ? sizeof(struct KmtEvent) : sizeof(*event));

	event->when = when;
	event->pointer = facts->pointer;
	if (is_plain)
		return;
	event->weight = weight;
	event->flags = facts->free ? KMT_SAMPLED_FREE : 0;
}

void event_writer_add(EventWriter *writer, uint64_t time_ns, const EventTask *task,
		      const EventFacts *facts, uint32_t weight, const uint64_t *frames,
		      uint32_t depth, bool truncated)
{
	Walk walk = {
		.frames = frames,
		.depth = MIN(depth, KMT_STACK_DEPTH_MAX),
		.truncated = truncated || depth > KMT_STACK_DEPTH_MAX,
	};
	uint32_t origin;

	make_room(writer, time_ns, event_room);
	measure_stack(writer, &walk);
	put_task(writer, task);
	origin = put_origin(writer, facts, &walk);
	put_event(writer, facts, weight, origin,
		  since_base(writer, time_ns) | (uint32_t)facts->context << KMT_CONTEXT_SHIFT);
	writer->events++;
	writer->cpu->events_written++;
}

void event_writer_beat(EventWriter *writer, uint64_t complete_until_ns)
{
	struct KmtHeartbeat *beat;

	make_room(writer, complete_until_ns, sizeof(*beat));
	beat = append(writer, KMT_RECORD_HEARTBEAT, 0, sizeof(*beat));
	memset((uint8_t *)beat + sizeof(beat->head), 0, sizeof(*beat) - sizeof(beat->head));
	beat->complete_until_ns = complete_until_ns;
	beat->probe_ns = writer->cpu->probe_ns;
	writer->heartbeats++;
}

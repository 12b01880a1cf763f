/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The only encoder of batches. Like format.h it is compiled twice: into the program and, copied by
 * the build into the tapset, into the kernel module. It therefore contains only inline functions on
 * fixed-width types: no allocation, lock, library call or 64-bit division. Declarations come first
 * in a block, for old kernels.
 *
 * A builder contains one batch. Definitions (tasks, stacks, origins) that repeat in the batch are
 * written once: hash tables of offsets find them again. If two definitions share a table slot, the
 * later one replaces the earlier one, which is defined again on its next use.
 *
 * The caller ensures exclusive access, that a batch is open, that it has room
 * (kmt_build_has_room()), and that it is not too old (kmt_build_goes_on()). The caller also finds
 * the slab cache and takes the stack: these differ between kernel and program.
 */
#ifndef KMT_BATCH_BUILD_H
#define KMT_BATCH_BUILD_H

#ifndef __KERNEL__
#include "record/format.h"

#include <stdbool.h>
#include <string.h>
#endif

/* The including file may choose the sizes. These are the emitter's. */
#ifndef KMT_BUILD_BYTES
#define KMT_BUILD_BYTES 8176    /* batch size: one message of SystemTap's transport, and padding */
#define KMT_BUILD_SEEN 128      /* slots to find stacks and origins again; a power of two */
#define KMT_BUILD_TASKS_SEEN 16 /* slots to find tasks again; a power of two */
#endif

/* For functions that every event calls and the kernel's compiler might not inline. */
#define KMT_BUILD_INLINE inline __attribute__((always_inline))

/* The time of an event relative to its batch must fit into KmtEvent.when. */
#define KMT_BUILD_NS_MAX 1000000000U

#if KMT_BUILD_BYTES > 0xffff
typedef uint32_t KmtOffset;
#else
typedef uint16_t KmtOffset;
#endif

/* A return address, in the type of the stack walker. */
#ifdef __KERNEL__
typedef unsigned long KmtFrame;
#else
typedef uint64_t KmtFrame;
#endif

/* Cgroup id of a task that was not read yet: reading is slow and happens at its definition. */
#define KMT_CGROUP_NOT_READ 0xffffffffffffffffULL

/* The task of an event. Names have KMT_COMM_BYTES bytes. */
struct KmtTaskFacts {
	uint32_t tgid;
	uint32_t tid;
	uint64_t start_time_ns;
	uint64_t cgroup_id;
	const char *comm;
	const char *leader; /* equals comm if the task is the leader */
};

/* The data of an event: its origin, except stack and cache, and its pointer and type. */
struct KmtFacts {
	uint64_t call_site;
	uint64_t pointer;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint32_t gfp_flags;
	int16_t node;
	uint8_t source; /* enum KmtSource */
	uint8_t kind;   /* enum KmtOriginKind */
	uint8_t type;   /* KMT_RECORD_ALLOC or KMT_RECORD_FREE */
};

/* A stack that is to be added to the batch. */
struct KmtWalk {
	const KmtFrame *frames; /* innermost first */
	uint32_t depth;         /* at most KMT_STACK_DEPTH_MAX; 0: no stack was taken */
	uint32_t hash;          /* set by kmt_build_measure() */
	bool narrow;            /* set there, too: frames fit into 4 bytes above the base */
	bool truncated;
	bool with_data; /* of user frames only: see KMT_STACK_WITH_DATA */
	uint32_t known; /* index of the stack in the open batch, plus one, if the caller knows that
			   it is there; else 0 */
};

struct KmtBuilder {
	uint32_t length; /* of the open batch, without its trailer; 0: no open batch */
	uint32_t stacks, origins, tasks, caches; /* number of definitions */
	uint32_t events, heartbeats;
	uint32_t period;   /* of the batch: default weight of its events */
	uint8_t kind;      /* enum KmtBatchKind of all its batches; 0: KMT_BATCH_EVENTS */
	KmtOffset task_at; /* offset of the current task; 0: none */
	uint64_t base_time_ns;
	uint64_t frame_base;
	/* Offsets by hash; 0: empty. */
	KmtOffset stack_seen[KMT_BUILD_SEEN];
	KmtOffset origin_seen[KMT_BUILD_SEEN];
	KmtOffset task_seen[KMT_BUILD_TASKS_SEEN];
	/* The batch; a transport may pad it in place. */
	char data[KMT_BUILD_BYTES + KMT_PADDING_BYTES_MAX + 1] __attribute__((aligned(8)));
};

/* Each event defines at most one item of each kind, always together with an origin. So the batch is
   full before there are too many definitions. */
_Static_assert(KMT_BUILD_BYTES / (sizeof(struct KmtOrigin) + sizeof(struct KmtEvent)) <
		       KMT_DEFINITIONS_MAX,
	       "a batch may have more definitions than the format allows");

/* For merging equal allocations: the last record of each origin in the open batch. */
struct KmtRepeats {
	uint64_t until_ns; /* end of the current time span: records do not cross it */
	KmtOffset from;    /* offset of the first record of the span */
	struct {
		KmtOffset record_at; /* 0: none */
		KmtOffset task_at;   /* the task of that record */
	} last[KMT_BUILD_SEEN];      /* by origin number */
};

static inline void *kmt_build_at(struct KmtBuilder *b, uint32_t offset)
{
	return b->data + offset;
}

/* Length of a record in bytes, with its padding. */
static inline uint32_t kmt_build_padded(uint32_t bytes)
{
	return (bytes + KMT_RECORD_UNIT_BYTES - 1) & ~(KMT_RECORD_UNIT_BYTES - 1U);
}

/* Fills in the header of a batch of this kind and length that belongs to no CPU. */
static inline void kmt_build_header(struct KmtBatchHeader *header, uint8_t kind, uint32_t bytes)
{
	memset(header, 0, sizeof(*header));
	header->magic = KMT_MAGIC;
	header->version = KMT_VERSION;
	header->word_bytes = sizeof(long);
	header->header_bytes = sizeof(*header);
	header->batch_bytes = bytes;
	header->kind = kind;
	header->field_set = KMT_FIELD_SET;
	header->cpu = KMT_CPU_NONE;
	header->sampling_period = 1;
}

static inline void kmt_build_trailer(struct KmtBatchTrailer *trailer, uint32_t batch_number)
{
	trailer->end_magic = KMT_END_MAGIC;
	trailer->batch_number = batch_number;
}

/* Length in bytes of a field record with a value of this length. */
static inline uint32_t kmt_build_field_bytes(uint32_t value_bytes)
{
	return kmt_build_padded(sizeof(struct KmtField) + value_bytes);
}

/* Writes a field (enum KmtFieldId). Returns its length, kmt_build_field_bytes(). */
static inline uint32_t kmt_build_field(void *at, uint16_t id, const void *value,
				       uint32_t value_bytes)
{
	struct KmtField *field = at;
	uint32_t bytes = kmt_build_field_bytes(value_bytes);

	memset(at, 0, bytes);
	field->head.type = KMT_RECORD_FIELD;
	field->head.units = (uint8_t)(bytes / KMT_RECORD_UNIT_BYTES);
	field->head.index = id;
	field->value_bytes = value_bytes;
	memcpy(field + 1, value, value_bytes);
	return bytes;
}

/* Opens a batch with this time and sampling period. Narrow frames are relative to frame_base. */
static inline void kmt_build_open(struct KmtBuilder *b, uint64_t time_ns, uint32_t period,
				  uint64_t frame_base)
{
	b->length = sizeof(struct KmtBatchHeader);
	b->stacks = b->origins = b->tasks = b->caches = 0;
	b->events = b->heartbeats = 0;
	b->period = period;
	b->task_at = 0;
	b->base_time_ns = time_ns;
	b->frame_base = frame_base;
	memset(b->stack_seen, 0, sizeof(b->stack_seen));
	memset(b->origin_seen, 0, sizeof(b->origin_seen));
	memset(b->task_seen, 0, sizeof(b->task_seen));
}

/* Base of the narrow frames near this address. On all 64-bit machines, kernel and module text lie
   within 2 GiB of each other. */
static inline uint64_t kmt_build_frame_base(uint64_t address)
{
	return address >> 32 ? address - 0x80000000U : 0;
}

/* The maximum length in bytes of an event with a stack of this depth. */
static inline uint32_t kmt_build_event_bytes(uint32_t depth)
{
	return sizeof(struct KmtTask) + sizeof(struct KmtStack) + depth * 8 +
	       sizeof(struct KmtCache) + KMT_CACHE_NAME_BYTES_MAX + sizeof(struct KmtOrigin) +
	       sizeof(struct KmtSampled);
}

/* Whether the open batch has room for this many bytes of records. */
static inline bool kmt_build_has_room(const struct KmtBuilder *b, uint32_t bytes)
{
	return b->length + bytes + sizeof(struct KmtBatchTrailer) <= KMT_BUILD_BYTES;
}

/* Whether an event with this time and sampling period fits into the open batch. */
static inline bool kmt_build_goes_on(const struct KmtBuilder *b, uint64_t time_ns, uint32_t period)
{
	return time_ns <= b->base_time_ns + KMT_BUILD_NS_MAX && b->period == period;
}

/* Appends a record of this many bytes, rounded up. Writes only its head. */
static inline void *kmt_build_append(struct KmtBuilder *b, uint8_t type, uint32_t index,
				     uint32_t bytes)
{
	struct KmtRecordHead *head = kmt_build_at(b, b->length);

	bytes = kmt_build_padded(bytes);
	head->type = type;
	head->units = (uint8_t)(bytes / KMT_RECORD_UNIT_BYTES);
	head->index = (uint16_t)index;
	b->length += bytes;
	return head;
}

static KMT_BUILD_INLINE uint64_t kmt_build_load(const char *from)
{
	uint64_t value;

	memcpy(&value, from, sizeof(value));
	return value;
}

/* Compares names in 8-byte words: this runs for every event. */
static KMT_BUILD_INLINE bool kmt_build_comm_is(const char *a, const char *b)
{
	return kmt_build_load(a) == kmt_build_load(b) &&
	       kmt_build_load(a + 8) == kmt_build_load(b + 8);
}

static KMT_BUILD_INLINE bool kmt_build_task_is(struct KmtBuilder *b, uint32_t at,
					       const struct KmtTaskFacts *facts)
{
	const struct KmtTask *task = kmt_build_at(b, at);

	return at && task->tid == facts->tid && task->tgid == facts->tgid &&
	       kmt_build_comm_is(task->comm, facts->comm) &&
	       task->start_time_ns == facts->start_time_ns &&
	       (facts->cgroup_id == KMT_CGROUP_NOT_READ || task->cgroup_id == facts->cgroup_id) &&
	       (facts->leader == facts->comm || kmt_build_comm_is(task->leader, facts->leader));
}

static inline void kmt_build_use_task(struct KmtBuilder *b, uint32_t index)
{
	struct KmtRecordHead *use =
		kmt_build_append(b, KMT_RECORD_TASK_USE, index, KMT_RECORD_UNIT_BYTES);

	memset(use + 1, 0, KMT_RECORD_UNIT_BYTES - sizeof(*use));
}

/* Makes the task the current one; usually it already is. Returns its record if it was just defined,
   so that the caller can fill in the cgroup; else NULL. */
static inline struct KmtTask *kmt_build_task(struct KmtBuilder *b, const struct KmtTaskFacts *facts)
{
	KmtOffset *seen = &b->task_seen[facts->tid & (KMT_BUILD_TASKS_SEEN - 1)];
	struct KmtTask *task;

	if (kmt_build_task_is(b, b->task_at, facts))
		return NULL;
	if (kmt_build_task_is(b, *seen, facts)) {
		task = kmt_build_at(b, *seen);
		b->task_at = *seen;
		kmt_build_use_task(b, task->head.index);
		return NULL;
	}
	b->task_at = *seen = (KmtOffset)b->length;
	task = kmt_build_append(b, KMT_RECORD_TASK, b->tasks++, sizeof(*task));
	task->tgid = facts->tgid;
	task->tid = facts->tid;
	task->reserved = 0;
	task->start_time_ns = facts->start_time_ns;
	task->cgroup_id = facts->cgroup_id;
	memcpy(task->comm, facts->comm, sizeof(task->comm));
	memcpy(task->leader, facts->leader, sizeof(task->leader));
	return task;
}

/* Sets hash and narrow from frames, depth and truncated. */
static inline void kmt_build_measure(struct KmtWalk *walk, uint64_t frame_base)
{
	uint64_t wide = 0;
	uint32_t hash = walk->depth;
	uint32_t i;

	for (i = 0; i < walk->depth; i++) {
		uint64_t frame = walk->frames[i] - frame_base;

		wide |= frame;
		hash = (hash ^ (uint32_t)frame) * 0x9e3779b1U;
	}
	/* The upper bits of the product are mixed best. */
	walk->hash = hash ^ hash >> 15;
	walk->narrow = !(wide >> 32);
}

static inline bool kmt_build_stack_is(const struct KmtBuilder *b, const struct KmtStack *stack,
				      const struct KmtWalk *walk)
{
	const uint32_t *narrow = (const uint32_t *)(stack + 1);
	const uint64_t *wide = (const uint64_t *)(stack + 1);
	uint32_t i;

	if (stack->depth != walk->depth ||
	    (stack->head.type == KMT_RECORD_STACK4) != walk->narrow ||
	    (stack->flags & KMT_STACK_TRUNCATED) != walk->truncated)
		return false;
	for (i = 0; !walk->narrow && i < walk->depth; i++)
		if (wide[i] != walk->frames[i])
			return false;
	for (i = 0; walk->narrow && i < walk->depth; i++)
		if (narrow[i] != (uint32_t)(walk->frames[i] - b->frame_base))
			return false;
	return true;
}

static inline uint32_t kmt_build_define_stack(struct KmtBuilder *b, const struct KmtWalk *walk)
{
	uint32_t frame_bytes = walk->narrow ? 4 : 8;
	struct KmtStack *stack =
		kmt_build_append(b, walk->narrow ? KMT_RECORD_STACK4 : KMT_RECORD_STACK8, b->stacks,
				 sizeof(*stack) + walk->depth * frame_bytes);
	uint32_t *narrow = (uint32_t *)(stack + 1);
	uint64_t *wide = (uint64_t *)(stack + 1);
	uint32_t i;

	stack->depth = (uint16_t)walk->depth;
	stack->flags = walk->truncated ? KMT_STACK_TRUNCATED : 0;
	for (i = 0; !walk->narrow && i < walk->depth; i++)
		wide[i] = walk->frames[i];
	for (i = 0; walk->narrow && i < walk->depth; i++)
		narrow[i] = (uint32_t)(walk->frames[i] - b->frame_base);
	if (walk->narrow && walk->depth % 2)
		narrow[walk->depth] = 0;
	return b->stacks++;
}

static inline uint32_t kmt_build_stack(struct KmtBuilder *b, const struct KmtWalk *walk)
{
	KmtOffset *seen = &b->stack_seen[walk->hash & (KMT_BUILD_SEEN - 1)];
	const struct KmtStack *stack = kmt_build_at(b, *seen);

	if (!walk->depth)
		return KMT_NONE;
	if (walk->known)
		return walk->known - 1;
	if (*seen && kmt_build_stack_is(b, stack, walk))
		return stack->head.index;
	*seen = (KmtOffset)b->length;
	return kmt_build_define_stack(b, walk);
}

/* Defines a slab cache; name_bytes: 1 to KMT_CACHE_NAME_BYTES_MAX. Returns its index. */
static inline uint32_t kmt_build_cache(struct KmtBuilder *b, uint32_t object_bytes,
				       uint32_t slot_bytes, const char *name, uint32_t name_bytes)
{
	struct KmtCache *cache =
		kmt_build_append(b, KMT_RECORD_CACHE, b->caches, sizeof(*cache) + name_bytes);

	/* Clears the padding, and some bytes that are written below. */
	memset(b->data + b->length - KMT_RECORD_UNIT_BYTES, 0, KMT_RECORD_UNIT_BYTES);
	cache->object_bytes = object_bytes;
	cache->slot_bytes = slot_bytes;
	cache->name_bytes = (uint16_t)name_bytes;
	cache->reserved = 0;
	memcpy(cache + 1, name, name_bytes);
	return b->caches++;
}

static inline bool kmt_build_origin_is(struct KmtBuilder *b, const struct KmtOrigin *origin,
				       const struct KmtFacts *facts, uint32_t cache,
				       const struct KmtWalk *walk)
{
	uint32_t at = b->stack_seen[walk->hash & (KMT_BUILD_SEEN - 1)];
	const struct KmtStack *stack = kmt_build_at(b, at);

	if (origin->call_site != facts->call_site || origin->cache != cache ||
	    origin->bytes_requested != facts->bytes_requested ||
	    origin->bytes_allocated != facts->bytes_allocated ||
	    origin->gfp_flags != facts->gfp_flags || origin->node != facts->node ||
	    origin->source != facts->source || origin->kind != facts->kind)
		return false;
	if (!walk->depth)
		return origin->stack == KMT_NONE;
	if (walk->known)
		return origin->stack == walk->known - 1;
	return at && stack->head.index == origin->stack && kmt_build_stack_is(b, stack, walk);
}

/* Returns the index of an event's origin. Defines it, and its stack, if necessary. cache: the index
   of its slab cache, or KMT_NONE. */
static inline uint32_t kmt_build_origin(struct KmtBuilder *b, const struct KmtFacts *facts,
					uint32_t cache, const struct KmtWalk *walk)
{
	uint32_t hash = walk->hash ^ (uint32_t)facts->call_site ^
			((uint32_t)facts->bytes_requested ^ cache << 16) * 0x85ebca6bU;
	KmtOffset *seen = &b->origin_seen[(hash ^ hash >> 16) & (KMT_BUILD_SEEN - 1)];
	struct KmtOrigin *origin = kmt_build_at(b, *seen);
	uint32_t stack;

	if (*seen && kmt_build_origin_is(b, origin, facts, cache, walk))
		return origin->head.index;
	stack = kmt_build_stack(b, walk);
	*seen = (KmtOffset)b->length;
	origin = kmt_build_append(b, KMT_RECORD_ORIGIN, b->origins, sizeof(*origin));
	origin->stack = (uint16_t)stack;
	origin->cache = (uint16_t)cache;
	origin->call_site = facts->call_site;
	origin->bytes_requested = facts->bytes_requested;
	origin->bytes_allocated = facts->bytes_allocated;
	origin->gfp_flags = facts->gfp_flags;
	origin->node = facts->node;
	origin->source = facts->source;
	origin->kind = facts->kind;
	return b->origins++;
}

/* Packs the time and the context (enum KmtContext) of an event into one word. Interrupts nest, so a
   time may be slightly before the time of the previous record. */
static inline uint32_t kmt_build_when(const struct KmtBuilder *b, uint64_t time_ns,
				      uint32_t context)
{
	uint32_t since = time_ns > b->base_time_ns ? (uint32_t)(time_ns - b->base_time_ns) : 0;

	return since | context << KMT_CONTEXT_SHIFT;
}

/* Appends an event that represents as many events as the batch header's period. */
static inline void kmt_build_event(struct KmtBuilder *b, uint8_t type, uint32_t origin,
				   uint32_t when, uint64_t pointer)
{
	struct KmtEvent *event = kmt_build_append(b, type, origin, sizeof(*event));

	event->when = when;
	event->pointer = pointer;
	b->events++;
}

/* Appends an event that represents weight events. */
static inline void kmt_build_sampled(struct KmtBuilder *b, uint8_t type, uint32_t origin,
				     uint32_t when, uint64_t pointer, uint32_t weight)
{
	struct KmtSampled *event = kmt_build_append(b, KMT_RECORD_SAMPLED, origin, sizeof(*event));

	event->when = when;
	event->pointer = pointer;
	event->weight = weight;
	event->flags = type == KMT_RECORD_FREE ? KMT_SAMPLED_FREE : 0;
	b->events++;
}

/* Starts a time span, up to until_ns, in which equal allocations become one record. */
static inline void kmt_build_begin_span(const struct KmtBuilder *b, struct KmtRepeats *repeats,
					uint64_t until_ns)
{
	repeats->until_ns = until_ns;
	repeats->from = (KmtOffset)b->length;
}

/* To call for a new batch: clears the last records of all origins. */
static inline void kmt_build_forget(struct KmtRepeats *repeats)
{
	repeats->from = 0;
	memset(repeats->last, 0, sizeof(repeats->last));
}

/* KmtRepeated fits into the space of a KmtEvent. */
union KmtEventRecord {
	struct KmtEvent event;
	struct KmtRepeated repeated;
};

/* Turns a KmtEvent into a KmtRepeated, or adds one event to a KmtRepeated. */
static inline void kmt_build_add_to(union KmtEventRecord *record, uint32_t when)
{
	if (record->event.head.type == KMT_RECORD_ALLOC) {
		record->repeated.head.type = KMT_RECORD_REPEATED;
		record->repeated.events = 1;
	}
	record->repeated.events++;
	record->repeated.span_ns = when - record->repeated.when;
}

/* Adds an allocation that succeeded to the last record of its origin, if that record has the same
   time span, task and context. Else appends it like kmt_build_event(). */
static inline void kmt_build_repeat(struct KmtBuilder *b, struct KmtRepeats *repeats,
				    uint32_t origin, uint32_t when, uint64_t pointer)
{
	uint32_t i = origin & (KMT_BUILD_SEEN - 1), at = repeats->last[i].record_at;
	union KmtEventRecord *record = kmt_build_at(b, at);

	if (at && at >= repeats->from && repeats->last[i].task_at == b->task_at &&
	    record->event.head.index == origin &&
	    !((record->event.when ^ when) >> KMT_CONTEXT_SHIFT)) {
		kmt_build_add_to(record, when);
		b->events++;
		return;
	}
	repeats->last[i].record_at = (KmtOffset)b->length;
	repeats->last[i].task_at = b->task_at;
	kmt_build_event(b, KMT_RECORD_ALLOC, origin, when, pointer);
}

/* Appends a heartbeat. Its other counters are 0; the caller may fill them in. */
static inline struct KmtHeartbeat *
kmt_build_heartbeat(struct KmtBuilder *b, uint64_t complete_until_ns, uint64_t probe_ns)
{
	struct KmtHeartbeat *beat = kmt_build_append(b, KMT_RECORD_HEARTBEAT, 0, sizeof(*beat));

	beat->reserved = 0;
	beat->complete_until_ns = complete_until_ns;
	beat->skipped = 0;
	beat->errors = 0;
	beat->transport_failures = 0;
	beat->probe_ns = probe_ns;
	beat->passed_over = 0;
	b->heartbeats++;
	return beat;
}

/* Ends the open batch of a CPU. Returns its header, with the CPU's counters still 0. The batch has
   header->batch_bytes bytes and is valid until the next batch is opened. */
static inline struct KmtBatchHeader *kmt_build_end(struct KmtBuilder *b, uint32_t cpu,
						   uint32_t batch_number)
{
	struct KmtBatchHeader *header = kmt_build_at(b, 0);

	kmt_build_header(header, b->kind ? b->kind : KMT_BATCH_EVENTS,
			 b->length + sizeof(struct KmtBatchTrailer));
	header->heartbeats = (uint8_t)b->heartbeats;
	header->cpu = cpu;
	header->batch_number = batch_number;
	header->base_time_ns = b->base_time_ns;
	header->frame_base = b->frame_base;
	header->events = b->events;
	header->sampling_period = b->period;
	kmt_build_trailer(kmt_build_at(b, b->length), batch_number);
	b->length = 0;
	return header;
}

#endif

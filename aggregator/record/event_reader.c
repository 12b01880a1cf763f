/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decoder of event batches, the innermost loop of the program. The definitions of a batch
 * (stacks, origins, tasks, caches) stay where they are in its bytes: arrays of pointers by index.
 * Events are decoded into one array that is reused. The loop exists twice, for each byte order.
 * session.c calls it; session/counter.c and the sinks pass the events on.
 */
#include "record/event_reader.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/bytes.h"
#include "base/hot_assert.h"
#include "base/saturate.h"

#include <string.h>

enum {
	/* Distance ahead of the current record. Decoding waits for memory: with 512 the reading
	   loop is a tenth slower. */
	PREFETCH_BYTES = 2048,
	EVENTS_FIRST = 1024, /* more than an emitter's batch has */
	HEARTBEATS_FIRST = 16,
};

struct EventReader {
	const InnerKmallocs *inner; /* borrowed */
	Events decoded;
	const void *memo_owner;
	struct KmtBatchHeader text_header;
	Event *events; /* owned; room for events_max */
	size_t events_max;
	GArray *heartbeats; /* (element-type struct KmtHeartbeat), owned */
	GArray *columns;    /* (element-type EventColumns), owned */
	/* Of the current batch; valid below the number defined so far. */
	const uint8_t *stacks[KMT_DEFINITIONS_MAX];
	EventOrigin origins[KMT_DEFINITIONS_MAX];
	EventDefinition tasks[KMT_DEFINITIONS_MAX];
	EventDefinition caches[KMT_DEFINITIONS_MAX];
};

/* The state of decoding one batch; lives in registers. */
typedef struct {
	EventReader *reader;
	Event *next; /* where the next event is stored */
	uint64_t base_time_ns;
	uint32_t stacks, origins, tasks, caches; /* defined so far */
	uint16_t task;                           /* current task; KMT_NONE: none yet */
	uint32_t period;                         /* of the batch: weight of its events */
	bool has_inner;                          /* an origin is_inner */
	bool has_hits;                           /* a batch of KMT_BATCH_POINT_EVENTS */
	uint32_t latest; /* time of its latest event, relative to base_time_ns */
	uint64_t decoded;
	uint64_t unknown_records;
} Decoder;

static const EventMemo memo_later = { EVENT_ID_LATER, 0 };

EventReader *event_reader_new(const InnerKmallocs *inner)
{
	EventReader *reader = g_new0(EventReader, 1);

	reader->inner = inner;
	reader->heartbeats =
		g_array_sized_new(FALSE, FALSE, sizeof(struct KmtHeartbeat), HEARTBEATS_FIRST);
	reader->columns = g_array_new(FALSE, FALSE, sizeof(EventColumns));
	reader->decoded.origins = reader->origins;
	reader->decoded.tasks = reader->tasks;
	reader->decoded.caches = reader->caches;
	reader->decoded.stacks = reader->stacks;
	reader->decoded.memo_owner = &reader->memo_owner;
	return reader;
}

void event_reader_free(EventReader *reader)
{
	if (!reader)
		return;
	g_array_unref(reader->heartbeats);
	g_array_unref(reader->columns);
	g_free(reader->events);
	g_free(reader);
}

void event_reader_set_epoch(EventReader *reader, uint32_t epoch)
{
	reader->decoded.epoch = epoch;
}

uint32_t event_reader_epoch(const EventReader *reader)
{
	return reader->decoded.epoch;
}

/* Appends an event, unless it is an inner event. */
static inline void put_event(Decoder *decoder, const uint8_t *record, bool free, uint64_t pointer,
			     uint32_t each, uint64_t weight, const bool swapped)
{
	uint32_t when = load_u32(record + offsetof(struct KmtEvent, when), swapped);
	uint16_t origin = load_u16(record + 2, swapped);
	Event *event = decoder->next;

	event->after_ns = when & KMT_TIME_MASK;
	event->pointer = pointer;
	event->weight = weight;
	event->each = each;
	event->origin = origin;
	event->task = decoder->task;
	event->context = (uint8_t)(when >> KMT_CONTEXT_SHIFT);
	event->free = free;
	event->is_hit = false;
	decoder->latest = MAX(decoder->latest, when & KMT_TIME_MASK);
	decoder->next = event + 1;
	if (G_UNLIKELY(decoder->has_inner) && !free && decoder->reader->origins[origin].is_inner)
		decoder->next = event;
}

static inline bool has_origin(const Decoder *decoder, const uint8_t *record, const bool swapped)
{
	return load_u16(record + 2, swapped) < decoder->origins;
}

/* Adds the most frequent record type: one event. */
static inline bool add_plain(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			     const bool swapped)
{
	if (G_UNLIKELY(bytes < sizeof(struct KmtEvent) || !has_origin(decoder, record, swapped)))
		return false;
	put_event(decoder, record, record[0] == KMT_RECORD_FREE,
		  load_u64(record + offsetof(struct KmtEvent, pointer), swapped), decoder->period,
		  decoder->period, swapped);
	decoder->decoded++;
	return true;
}

static bool add_sampled(Decoder *decoder, const uint8_t *record, uint32_t bytes, const bool swapped)
{
	uint32_t each;

	if (bytes < sizeof(struct KmtSampled) || !has_origin(decoder, record, swapped))
		return false;
	each = load_u32(record + offsetof(struct KmtSampled, weight), swapped);
	put_event(decoder, record,
		  load_u32(record + offsetof(struct KmtSampled, flags), swapped) & KMT_SAMPLED_FREE,
		  load_u64(record + offsetof(struct KmtSampled, pointer), swapped), each, each,
		  swapped);
	decoder->decoded++;
	return true;
}

static bool add_repeated(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			 const bool swapped)
{
	uint32_t events;

	if (bytes < sizeof(struct KmtRepeated) || !has_origin(decoder, record, swapped))
		return false;
	events = load_u32(record + offsetof(struct KmtRepeated, events), swapped);
	put_event(decoder, record, false, EVENT_POINTER_UNKNOWN, decoder->period,
		  saturate_product(decoder->period, events), swapped);
	decoder->decoded += events;
	return true;
}

/* A sum of known events is exact, not an estimate. */
static bool add_weighted(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			 const bool swapped)
{
	if (bytes < sizeof(struct KmtWeighted) || !has_origin(decoder, record, swapped))
		return false;
	put_event(decoder, record, false, EVENT_POINTER_UNKNOWN, 1,
		  load_u64(record + offsetof(struct KmtWeighted, weight), swapped), swapped);
	decoder->decoded++;
	return true;
}

static bool add_hit(Decoder *decoder, const uint8_t *record, uint32_t bytes, const bool swapped)
{
	uint32_t weight;

	if (bytes < sizeof(struct KmtValue) || !has_origin(decoder, record, swapped))
		return false;
	weight = load_u32(record + offsetof(struct KmtValue, weight), swapped);
	put_event(decoder, record, false,
		  load_u64(record + offsetof(struct KmtValue, value), swapped), weight, weight,
		  swapped);
	decoder->next[-1].is_hit = true;
	decoder->decoded++;
	return true;
}

/* The columns belong to the event before them. */
static bool add_columns(Decoder *decoder, const uint8_t *record, uint32_t bytes, const bool swapped)
{
	EventColumns columns = {
		.event = (uint32_t)(decoder->next - decoder->reader->events) - 1,
		.text = (const char *)record + sizeof(struct KmtColumns),
	};

	if (bytes < sizeof(struct KmtColumns) || decoder->next == decoder->reader->events)
		return false;
	columns.text_bytes = load_u32(record + offsetof(struct KmtColumns, text_bytes), swapped);
	if (columns.text_bytes > bytes - sizeof(struct KmtColumns))
		return false;
	g_array_append_val(decoder->reader->columns, columns);
	return true;
}

static bool define_stack(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			 const bool swapped)
{
	uint32_t depth = load_u16(record + offsetof(struct KmtStack, depth), swapped);
	uint32_t frame_bytes = record[0] == KMT_RECORD_STACK4 ? 4 : 8;

	if (bytes < sizeof(struct KmtStack) + depth * frame_bytes || !depth ||
	    depth > KMT_STACK_DEPTH_MAX || decoder->stacks == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->stacks)
		return false;
	decoder->reader->stacks[decoder->stacks++] = record;
	return true;
}

static bool define_cache(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			 const bool swapped)
{
	uint32_t name_bytes;

	if (bytes < sizeof(struct KmtCache))
		return false;
	name_bytes = load_u16(record + offsetof(struct KmtCache, name_bytes), swapped);
	if (bytes < sizeof(struct KmtCache) + name_bytes || !name_bytes ||
	    name_bytes > KMT_CACHE_NAME_BYTES_MAX || decoder->caches == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->caches)
		return false;
	decoder->reader->caches[decoder->caches++] = (EventDefinition){ memo_later, record };
	return true;
}

static inline bool is_stack(const Decoder *decoder, uint16_t stack, bool of_user)
{
	return stack == KMT_NONE ||
	       (stack < decoder->stacks &&
		(decoder->reader->stacks[stack][0] == KMT_RECORD_USTACK) == of_user);
}

static bool is_inner(const EventReader *reader, const uint8_t *record, const bool swapped)
{
	if (record[offsetof(struct KmtOrigin, source)] != KMT_SOURCE_KMALLOC)
		return false;
	return inner_kmallocs_have(
		reader->inner, load_u64(record + offsetof(struct KmtOrigin, call_site), swapped),
		load_u64(record + offsetof(struct KmtOrigin, bytes_requested), swapped));
}

static bool define_origin(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	uint16_t stack = load_u16(record + offsetof(struct KmtOrigin, stack), swapped);
	uint16_t cache = load_u16(record + offsetof(struct KmtOrigin, cache), swapped);
	EventOrigin *origin;

	if (!is_stack(decoder, stack, false) || (cache != KMT_NONE && cache >= decoder->caches) ||
	    decoder->origins == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->origins)
		return false;
	origin = &decoder->reader->origins[decoder->origins++];
	*origin = (EventOrigin){
		.memo = { memo_later, memo_later },
		.record = record,
		.is_inner = is_inner(decoder->reader, record, swapped),
	};
	decoder->has_inner |= origin->is_inner;
	return true;
}

static bool define_point_origin(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	uint16_t stack = load_u16(record + offsetof(struct KmtPointOrigin, stack), swapped);
	uint16_t user = load_u16(record + offsetof(struct KmtPointOrigin, user_stack), swapped);
	uint16_t task = load_u16(record + offsetof(struct KmtPointOrigin, task), swapped);

	if (!is_stack(decoder, stack, false) || !is_stack(decoder, user, true) ||
	    (task != KMT_NONE && task >= decoder->tasks) ||
	    decoder->origins == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->origins)
		return false;
	decoder->reader->origins[decoder->origins++] = (EventOrigin){
		.memo = { memo_later, memo_later },
		.record = record,
	};
	return true;
}

static bool define_task(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	if (decoder->tasks == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->tasks)
		return false;
	decoder->reader->tasks[decoder->tasks] = (EventDefinition){ memo_later, record };
	decoder->task = (uint16_t)decoder->tasks++;
	return true;
}

static bool use_task(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	uint16_t task = load_u16(record + 2, swapped);

	if (task >= decoder->tasks)
		return false;
	decoder->task = task;
	return true;
}

/* Earlier writers have no passed_over. */
static void add_heartbeat(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			  const bool swapped)
{
	const size_t last = offsetof(struct KmtHeartbeat, passed_over);
	const struct KmtHeartbeat beat = {
		.complete_until_ns = load_u64(
			record + offsetof(struct KmtHeartbeat, complete_until_ns), swapped),
		.skipped = load_u64(record + offsetof(struct KmtHeartbeat, skipped), swapped),
		.errors = load_u64(record + offsetof(struct KmtHeartbeat, errors), swapped),
		.transport_failures = load_u64(
			record + offsetof(struct KmtHeartbeat, transport_failures), swapped),
		.probe_ns = load_u64(record + offsetof(struct KmtHeartbeat, probe_ns), swapped),
		.passed_over = bytes > last ? load_u64(record + last, swapped) : 0,
	};

	g_array_append_val(decoder->reader->heartbeats, beat);
}

/* Records that only batches of hits have. An allocation cannot have the origin of a hit. */
static bool decode_hit(Decoder *decoder, const uint8_t *record, uint32_t bytes, const bool swapped)
{
	switch (record[0]) {
	case KMT_RECORD_VALUE:
		return add_hit(decoder, record, bytes, swapped);
	case KMT_RECORD_USTACK:
		return define_stack(decoder, record, bytes, swapped);
	case KMT_RECORD_POINT_ORIGIN:
		return bytes >= sizeof(struct KmtPointOrigin) &&
		       define_point_origin(decoder, record, swapped);
	default:
		return add_columns(decoder, record, bytes, swapped);
	}
}

/* Whether a batch of this kind may have such a record. Then the origins of all its events are of
   one kind. */
static inline bool event_reader_belongs(const Decoder *decoder, uint8_t type)
{
	bool is_of_allocations = type == KMT_RECORD_ORIGIN;
	bool is_of_hits = type >= KMT_RECORD_USTACK && type <= KMT_RECORD_COLUMNS;

	return decoder->has_hits ? !is_of_allocations : !is_of_hits;
}

/* Returns false if the record is invalid: the rest of the batch then counts as damaged. */
static bool decode_other(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			 const bool swapped)
{
	if (!event_reader_belongs(decoder, record[0])) {
		decoder->unknown_records++;
		return true;
	}
	switch (record[0]) {
	case KMT_RECORD_USTACK:
	case KMT_RECORD_POINT_ORIGIN:
	case KMT_RECORD_VALUE:
	case KMT_RECORD_COLUMNS:
		return decode_hit(decoder, record, bytes, swapped);
	case KMT_RECORD_WEIGHTED:
		return add_weighted(decoder, record, bytes, swapped);
	case KMT_RECORD_REPEATED:
		return add_repeated(decoder, record, bytes, swapped);
	case KMT_RECORD_SAMPLED:
		return add_sampled(decoder, record, bytes, swapped);
	case KMT_RECORD_STACK4:
	case KMT_RECORD_STACK8:
		return define_stack(decoder, record, bytes, swapped);
	case KMT_RECORD_ORIGIN:
		return bytes >= sizeof(struct KmtOrigin) && define_origin(decoder, record, swapped);
	case KMT_RECORD_CACHE:
		return define_cache(decoder, record, bytes, swapped);
	case KMT_RECORD_TASK:
		return bytes >= offsetof(struct KmtTask, leader) &&
		       define_task(decoder, record, swapped);
	case KMT_RECORD_TASK_USE:
		return use_task(decoder, record, swapped);
	case KMT_RECORD_HEARTBEAT:
		if (bytes >= offsetof(struct KmtHeartbeat, passed_over))
			add_heartbeat(decoder, record, bytes, swapped);
		return true;
	case KMT_RECORD_PAD:
		return true;
	default:
		decoder->unknown_records++;
		return true;
	}
}

/* Makes room for the maximum number of events of a batch, and for one inner event after them. */
static void make_room(EventReader *reader, size_t content_bytes)
{
	size_t events_max = content_bytes / sizeof(struct KmtEvent) + 1;

	if (events_max <= reader->events_max)
		return;
	reader->events_max = MAX(events_max, EVENTS_FIRST);
	g_free(reader->events);
	reader->events = g_new(Event, reader->events_max);
}

static void event_reader_finish(const Decoder *decoder, const Batch *batch)
{
	EventReader *reader = decoder->reader;
	Events *decoded = &reader->decoded;
	uint64_t announced = batch->header.events;

	decoded->header = &batch->header;
	decoded->swapped = batch->swapped;
	decoded->events = reader->events;
	decoded->events_count = (size_t)(decoder->next - reader->events);
	decoded->decoded = decoder->decoded;
	decoded->damaged = announced - MIN(announced, decoder->decoded);
	decoded->unknown_records = decoder->unknown_records;
	decoded->last_ns = decoder->decoded ? decoder->base_time_ns + decoder->latest : 0;
	decoded->heartbeats = (const struct KmtHeartbeat *)(void *)reader->heartbeats->data;
	decoded->heartbeats_count = reader->heartbeats->len;
	decoded->columns = (const EventColumns *)(void *)reader->columns->data;
	decoded->columns_count = reader->columns->len;
	decoded->origins_count = decoder->origins;
	decoded->tasks_count = decoder->tasks;
	decoded->caches_count = decoder->caches;
	decoded->text = NULL;
	reader->memo_owner = NULL;
}

/* Instantiated per byte order, so that the native one has no swapping cost. */
static inline void decode_records(EventReader *reader, const Batch *batch, const bool swapped)
{
	Decoder decoder = {
		.reader = reader,
		.next = reader->events,
		.base_time_ns = batch->header.base_time_ns,
		.task = KMT_NONE,
		.period = MAX(batch->header.sampling_period, 1),
		.has_hits = batch->header.kind == KMT_BATCH_POINT_EVENTS,
	};
	const uint8_t *at = batch->content;
	const uint8_t *end = at + batch->content_bytes;

	while (end - at >= KMT_RECORD_UNIT_BYTES) {
		uint32_t bytes = (uint32_t)at[1] * KMT_RECORD_UNIT_BYTES;
		bool is_plain = at[0] == KMT_RECORD_ALLOC || at[0] == KMT_RECORD_FREE;

		__builtin_prefetch(at + PREFETCH_BYTES);
		if (!bytes || bytes > (size_t)(end - at) ||
		    !(G_LIKELY(is_plain) ? add_plain(&decoder, at, bytes, swapped)
					 : decode_other(&decoder, at, bytes, swapped)))
			break;
		at += bytes;
	}
	event_reader_finish(&decoder, batch);
}

const Events *event_reader_decode(EventReader *reader, const Batch *batch)
{
	make_room(reader, batch->content_bytes);
	g_array_set_size(reader->heartbeats, 0);
	g_array_set_size(reader->columns, 0);
	if (batch->swapped)
		decode_records(reader, batch, true);
	else
		decode_records(reader, batch, false);
	return &reader->decoded;
}

const Events *event_reader_decode_text(EventReader *reader, const EventText *text)
{
	Events *decoded = &reader->decoded;

	make_room(reader, 0);
	reader->events[0] = (Event){
		.pointer = text->pointer || text->failed ? text->pointer : EVENT_POINTER_UNKNOWN,
		.weight = text->weight,
		.each = 1,
		.free = text->free,
		.task = text->task ? 0 : KMT_NONE,
	};
	reader->origins[0] = (EventOrigin){ .memo = { memo_later, memo_later } };
	reader->tasks[0] = (EventDefinition){ .memo = memo_later };
	reader->caches[0] = (EventDefinition){ .memo = memo_later };
	reader->memo_owner = NULL;
	reader->text_header.base_time_ns = text->time_ns;
	reader->text_header.cpu = text->cpu;
	decoded->header = &reader->text_header;
	decoded->swapped = false;
	decoded->events = reader->events;
	decoded->events_count = 1;
	decoded->decoded = text->weight;
	decoded->damaged = 0;
	decoded->unknown_records = 0;
	decoded->last_ns = text->time_ns;
	decoded->heartbeats_count = 0;
	decoded->columns_count = 0;
	decoded->origins_count = 1;
	decoded->tasks_count = text->task ? 1 : 0;
	decoded->caches_count = text->cache ? 1 : 0;
	decoded->text = text;
	return decoded;
}

static void forget_memos(const Events *events)
{
	for (uint32_t i = 0; i < events->origins_count; i++)
		events->origins[i].memo[0] = events->origins[i].memo[1] = memo_later;
	for (uint32_t i = 0; i < events->tasks_count; i++)
		events->tasks[i].memo = memo_later;
	for (uint32_t i = 0; i < events->caches_count; i++)
		events->caches[i].memo = memo_later;
}

void events_claim_memos(const Events *events, const void *owner)
{
	if (*events->memo_owner && *events->memo_owner != owner)
		forget_memos(events);
	*events->memo_owner = owner;
}

/* Per-CPU memory takes what was requested for all CPUs. From Linux 5.18 on, the tracepoint adds the
   pointers to memory cgroups that the kernel keeps beside it (pcpu_obj_full_size()): no waste. */
static inline void even_percpu(EventOriginFacts *facts)
{
	if (facts->source != KMT_SOURCE_PERCPU)
		return;
	if (facts->bytes_requested)
		facts->bytes_allocated = facts->bytes_requested;
	else
		facts->bytes_requested = facts->bytes_allocated;
}

static void read_origin_of_text(const EventText *text, EventOriginFacts *facts)
{
	facts->call_site = 0;
	facts->bytes_requested = text->bytes_requested;
	facts->bytes_allocated = text->bytes_allocated;
	facts->gfp_flags = text->gfp_flags;
	facts->node = 0;
	facts->source = text->source;
	facts->kind = text->kind;
	facts->truncated = false;
	facts->cache = text->cache ? 0 : KMT_NONE;
	facts->text = text->text;
	facts->text_bytes = text->length;
	facts->depth = 0;
	facts->point = 0;
	facts->user_task = KMT_NONE;
	facts->user_depth = 0;
	even_percpu(facts);
}

/* Reads the frames of a stack. Returns their number. */
static inline uint32_t read_frames(const Events *events, uint16_t stack, bool *truncated,
				   uint64_t frames[KMT_STACK_DEPTH_MAX])
{
	const bool swapped = events->swapped;
	const uint8_t *record = events->stacks[stack];
	const uint8_t *from = record + sizeof(struct KmtStack);
	uint32_t depth = load_u16(record + offsetof(struct KmtStack, depth), swapped);

	*truncated =
		load_u16(record + offsetof(struct KmtStack, flags), swapped) & KMT_STACK_TRUNCATED;
	if (record[0] != KMT_RECORD_STACK4)
		for (uint32_t i = 0; i < depth; i++)
			frames[i] = load_u64(from + i * 8, swapped);
	else
		for (uint32_t i = 0; i < depth; i++)
			frames[i] = events->header->frame_base + load_u32(from + i * 4, swapped);
	return depth;
}

static inline void read_stack(const Events *events, uint16_t stack, EventOriginFacts *facts)
{
	facts->truncated = false;
	facts->depth = 1;
	facts->frames[0] = facts->call_site;
	if (stack != KMT_NONE)
		facts->depth = read_frames(events, stack, &facts->truncated, facts->frames);
}

static void read_point_origin(const Events *events, const uint8_t *record, EventOriginFacts *facts)
{
	const bool swapped = events->swapped;
	uint16_t stack = load_u16(record + offsetof(struct KmtPointOrigin, stack), swapped);
	uint16_t user = load_u16(record + offsetof(struct KmtPointOrigin, user_stack), swapped);

	facts->call_site = facts->bytes_requested = facts->bytes_allocated = 0;
	facts->gfp_flags = 0;
	facts->node = -1;
	facts->source = KMT_SOURCE_POINT;
	facts->kind = KMT_KIND_NONE;
	facts->cache = KMT_NONE;
	facts->text = NULL;
	facts->text_bytes = 0;
	facts->point = load_u16(record + offsetof(struct KmtPointOrigin, point), swapped);
	facts->truncated = facts->user_truncated = facts->user_has_data = false;
	facts->depth = facts->user_depth = 0;
	facts->user_task = KMT_NONE;
	if (stack != KMT_NONE)
		facts->depth = read_frames(events, stack, &facts->truncated, facts->frames);
	if (user == KMT_NONE)
		return;
	facts->user_task = load_u16(record + offsetof(struct KmtPointOrigin, task), swapped);
	facts->user_depth = read_frames(events, user, &facts->user_truncated, facts->user_frames);
	facts->user_has_data =
		load_u16(events->stacks[user] + offsetof(struct KmtStack, flags), swapped) &
		KMT_STACK_WITH_DATA;
}

static bool is_of_hit(const Events *events, uint16_t origin)
{
	hot_assert(origin < KMT_DEFINITIONS_MAX);
	return events->origins[origin].record[0] == KMT_RECORD_POINT_ORIGIN;
}

uint8_t events_origin_source(const Events *events, uint16_t origin)
{
	hot_assert(origin < KMT_DEFINITIONS_MAX);
	if (events->text)
		return events->text->source;
	if (is_of_hit(events, origin))
		return KMT_SOURCE_POINT;
	return events->origins[origin].record[offsetof(struct KmtOrigin, source)];
}

uint8_t events_origin_kind(const Events *events, uint16_t origin)
{
	hot_assert(origin < KMT_DEFINITIONS_MAX);
	if (events->text)
		return events->text->kind;
	if (is_of_hit(events, origin))
		return KMT_KIND_NONE;
	return events->origins[origin].record[offsetof(struct KmtOrigin, kind)];
}

void events_read_origin(const Events *events, uint16_t origin, EventOriginFacts *facts)
{
	const uint8_t *record = events->origins[origin].record;
	const bool swapped = events->swapped;

	hot_assert(origin < KMT_DEFINITIONS_MAX);
	if (events->text) {
		read_origin_of_text(events->text, facts);
		return;
	}
	if (is_of_hit(events, origin)) {
		read_point_origin(events, record, facts);
		return;
	}
	facts->point = 0;
	facts->user_task = KMT_NONE;
	facts->user_depth = 0;
	facts->call_site = load_u64(record + offsetof(struct KmtOrigin, call_site), swapped);
	facts->bytes_requested =
		load_u64(record + offsetof(struct KmtOrigin, bytes_requested), swapped);
	facts->bytes_allocated =
		load_u64(record + offsetof(struct KmtOrigin, bytes_allocated), swapped);
	facts->gfp_flags = load_u32(record + offsetof(struct KmtOrigin, gfp_flags), swapped);
	facts->node = (int16_t)load_u16(record + offsetof(struct KmtOrigin, node), swapped);
	facts->source = events_origin_source(events, origin);
	facts->kind = events_origin_kind(events, origin);
	even_percpu(facts);
	facts->cache = load_u16(record + offsetof(struct KmtOrigin, cache), swapped);
	facts->text = NULL;
	facts->text_bytes = 0;
	read_stack(events, load_u16(record + offsetof(struct KmtOrigin, stack), swapped), facts);
}

void events_read_task(const Events *events, uint16_t task, EventTask *facts)
{
	const uint8_t *record = events->tasks[task].record;
	const bool swapped = events->swapped;

	hot_assert(task < KMT_DEFINITIONS_MAX);
	if (events->text) {
		*facts = *events->text->task;
		return;
	}
	*facts = (EventTask){
		.tgid = load_u32(record + offsetof(struct KmtTask, tgid), swapped),
		.tid = load_u32(record + offsetof(struct KmtTask, tid), swapped),
		.start_time_ns =
			load_u64(record + offsetof(struct KmtTask, start_time_ns), swapped),
		.cgroup_id = load_u64(record + offsetof(struct KmtTask, cgroup_id), swapped),
	};
	memcpy(facts->comm, record + offsetof(struct KmtTask, comm), KMT_COMM_BYTES);
	/* A record of version 0.1 ends before the leader's name. */
	if ((size_t)record[1] * KMT_RECORD_UNIT_BYTES >= sizeof(struct KmtTask))
		memcpy(facts->leader, record + offsetof(struct KmtTask, leader), KMT_COMM_BYTES);
}

uint16_t events_origin_point(const Events *events, uint16_t origin)
{
	const uint8_t *record = events->origins[origin].record;

	hot_assert(origin < KMT_DEFINITIONS_MAX);
	if (events->text || !is_of_hit(events, origin))
		return 0;
	return load_u16(record + offsetof(struct KmtPointOrigin, point), events->swapped);
}

uint32_t events_task_tid(const Events *events, uint16_t task)
{
	hot_assert(task < KMT_DEFINITIONS_MAX);
	if (events->text)
		return events->text->task->tid;
	return load_u32(events->tasks[task].record + offsetof(struct KmtTask, tid),
			events->swapped);
}

uint64_t events_task_cgroup(const Events *events, uint16_t task)
{
	hot_assert(task < KMT_DEFINITIONS_MAX);
	if (events->text)
		return events->text->task->cgroup_id;
	return load_u64(events->tasks[task].record + offsetof(struct KmtTask, cgroup_id),
			events->swapped);
}

void events_read_cache(const Events *events, uint16_t cache, EventCache *facts)
{
	const uint8_t *record = events->caches[cache].record;
	const bool swapped = events->swapped;

	hot_assert(cache < KMT_DEFINITIONS_MAX);
	if (events->text) {
		*facts = *events->text->cache;
		return;
	}
	facts->object_bytes = load_u32(record + offsetof(struct KmtCache, object_bytes), swapped);
	facts->slot_bytes = load_u32(record + offsetof(struct KmtCache, slot_bytes), swapped);
	facts->name_bytes = load_u16(record + offsetof(struct KmtCache, name_bytes), swapped);
	memcpy(facts->name, record + sizeof(struct KmtCache), facts->name_bytes);
}

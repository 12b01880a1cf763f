/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"
#include "record/event.h"
#include "record/inner_kmallocs.h"

#include <glib.h>

/*
 * EventReader decodes batches of kinds KMT_BATCH_EVENTS and KMT_BATCH_POINT_EVENTS. No other code
 * reads their records. Sinks get a decoded batch as an array of events, which refer to their origin
 * and task by number.
 *
 * Definitions are decoded only on request: many batches repeat definitions that a sink already has.
 * Nothing is allocated per event.
 */
typedef struct EventReader EventReader;

/* Pointer of an event that represents several events without recorded pointers. */
#define EVENT_POINTER_UNKNOWN UINT64_MAX

/* Events of one origin, task and context. 32 bytes, so that a batch stays in the CPU cache. */
typedef struct {
	uint64_t pointer;  /* 0: the allocation failed; of a hit of a probe point: its value */
	uint64_t weight;   /* number of events that it represents */
	uint32_t each;     /* ... and events per event taken; 1: exact, not an estimate */
	uint32_t after_ns; /* since the time of its batch; see event_time_ns() of batch.h */
	uint16_t origin;
	uint16_t task;   /* KMT_NONE: unknown */
	uint8_t context; /* enum KmtContext */
	bool free;       /* false: an allocation */
	bool is_hit;     /* of a probe point, not an allocation */
} Event;

/* The text of a list's columns of an event. */
typedef struct {
	uint32_t event; /* its number in the batch */
	uint32_t text_bytes;
	const char *text; /* columns, separated by tabs; any bytes */
} EventColumns;

/* Data of a definition, stored by the sink that claimed the memos of the batch. */
typedef struct {
	uint32_t id; /* EVENT_ID_LATER: none yet */
	uint32_t cell;
} EventMemo;

#define EVENT_ID_LATER UINT32_MAX

/* A definition of the batch. */
typedef struct {
	EventMemo memo;
	const uint8_t *record;
} EventDefinition;

/* Events of one origin. memo is indexed by whether the event is a free. */
typedef struct {
	EventMemo memo[2];
	const uint8_t *record;
	bool is_inner; /* its allocations are inner events (record/inner_kmallocs.h) */
} EventOrigin;

/* A decoded batch. Borrowed for the call; sinks write only to memos. */
typedef struct {
	const struct KmtBatchHeader *header;
	bool swapped;
	const Event *events;
	size_t events_count;
	uint64_t decoded;            /* events in its records, inner events included */
	uint64_t damaged;            /* events that the header announced but the batch lacks */
	uint64_t unknown_records;    /* skipped: from a newer writer */
	uint64_t last_ns;            /* time of the latest event; 0: no events */
	const EventColumns *columns; /* in the order of their events */
	size_t columns_count;
	const struct KmtHeartbeat *heartbeats; /* in this machine's byte order */
	size_t heartbeats_count;
	EventOrigin *origins;
	EventDefinition *tasks;
	EventDefinition *caches;
	uint32_t origins_count;
	uint32_t tasks_count;
	uint32_t caches_count;
	const void **memo_owner; /* sink that claimed the memos; NULL: none */
	const uint8_t *const *stacks;
	uint32_t epoch;        /* of the symbols for the addresses */
	const EventText *text; /* its one origin and task; NULL: a batch of a stream */
} Events;

/* Takes a decoded batch. Returns false if its times are impossible: the whole batch then counts as
   damaged. */
typedef bool (*EventSink)(const Events *events, void *user_data);

/* The common data of an origin's events. A stack is either frames or text. */
typedef struct {
	uint64_t call_site;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint32_t gfp_flags;
	int16_t node;
	uint8_t source;   /* enum KmtSource */
	uint8_t kind;     /* enum KmtOriginKind */
	bool truncated;   /* the stack reached the depth limit */
	uint16_t cache;   /* number of the definition, KMT_NONE: unknown */
	const char *text; /* NULL: the stack is in frames */
	uint32_t text_bytes;
	uint32_t depth; /* of the frames, innermost first; without a stack the call site alone */
	uint64_t frames[KMT_STACK_DEPTH_MAX];
	/* Of a hit of a probe point (source KMT_SOURCE_POINT): its number, its user frames, and the
	   task whose mappings they belong to. */
	uint16_t point;
	uint16_t user_task;  /* number of the definition, KMT_NONE: there are no user frames */
	bool user_truncated; /* the user stack reached the depth limit */
	bool user_has_data;  /* its first frame is data: see KMT_STACK_WITH_DATA */
	uint32_t user_depth;
	uint64_t user_frames[KMT_STACK_DEPTH_MAX];
} EventOriginFacts;

/* Returns a reader; free it with event_reader_free(). inner (borrowed) selects the inner events,
   which are not decoded. It may be filled in until the first batch with such events. */
EventReader *event_reader_new(const InnerKmallocs *inner);
void event_reader_free(EventReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventReader, event_reader_free)

/* Sets the symbol epoch of the batches that follow. */
void event_reader_set_epoch(EventReader *reader, uint32_t epoch);
uint32_t event_reader_epoch(const EventReader *reader);

/* Returns the decoded batch, valid until the next call. Never reads outside the batch, whatever its
   content. Decoding stops at the first invalid record. */
const Events *event_reader_decode(EventReader *reader, const Batch *batch);

/* Like event_reader_decode(), for events with a stack as text. */
const Events *event_reader_decode_text(EventReader *reader, const EventText *text);

/* Gives the memos of a batch to one sink, until another sink claims them. */
void events_claim_memos(const Events *events, const void *owner);

/* Decode a definition by its number. */
void events_read_origin(const Events *events, uint16_t origin, EventOriginFacts *facts);
void events_read_task(const Events *events, uint16_t task, EventTask *facts);
void events_read_cache(const Events *events, uint16_t cache, EventCache *facts);

/* Return the source (enum KmtSource) and the kind (enum KmtOriginKind) of an origin. */
uint8_t events_origin_source(const Events *events, uint16_t origin);
uint8_t events_origin_kind(const Events *events, uint16_t origin);

/* Returns the tid of a task of a stream. */
uint32_t events_task_tid(const Events *events, uint16_t task);

/* Returns the number of the probe point of an origin of hits; else 0. */
uint16_t events_origin_point(const Events *events, uint16_t origin);

/* Returns the id of a task's cgroup; 0: not recorded. */
uint64_t events_task_cgroup(const Events *events, uint16_t task);

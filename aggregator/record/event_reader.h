/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"
#include "record/event.h"
#include "record/inner_kmallocs.h"

#include <glib.h>

/*
 * EventReader decodes batches of kind KMT_BATCH_EVENTS: the only place that knows their records.
 * Sinks get a decoded batch as an array of events, which name their origin and task by number.
 *
 * Definitions are decoded when a sink asks for them: many batches repeat what a sink knows already.
 * Nothing is allocated per event.
 */
typedef struct EventReader EventReader;

/* Pointer of an event that stands for several whose pointers were not recorded. */
#define EVENT_POINTER_UNKNOWN UINT64_MAX

/* Some events of one origin, task and context. 32 bytes: a batch of them stays in the cache. */
typedef struct {
	uint64_t pointer;  /* 0: the allocation failed */
	uint64_t weight;   /* how many it stands for */
	uint32_t each;     /* ... and how many of them each that was taken; 1: it is no estimate */
	uint32_t after_ns; /* behind the time of its batch; event_time_ns() */
	uint16_t origin;
	uint16_t task;   /* KMT_NONE: not known */
	uint8_t context; /* enum KmtContext */
	bool free;       /* else an allocation */
} Event;

/* What the sink that has claimed the memos of a batch knows of a definition. */
typedef struct {
	uint32_t id; /* EVENT_ID_LATER: nothing yet */
	uint32_t cell;
} EventMemo;

#define EVENT_ID_LATER UINT32_MAX

/* A definition of the batch. */
typedef struct {
	EventMemo memo;
	const uint8_t *record;
} EventDefinition;

/* Events of an origin, by whether they are frees. */
typedef struct {
	EventMemo memo[2];
	const uint8_t *record;
	bool is_inner; /* its allocations are inner ones (record/inner_kmallocs.h) */
} EventOrigin;

/* A decoded batch. Borrowed for the call; sinks write to memos only. */
typedef struct {
	const struct KmtBatchHeader *header;
	bool swapped;
	const Event *events;
	size_t events_count;
	uint64_t decoded;         /* events that its records have, inner ones included */
	uint64_t damaged;         /* announced by the header, but not there */
	uint64_t unknown_records; /* skipped: a newer writer's */
	uint64_t last_ns;         /* time of the latest event; 0: there is none */
	const struct KmtHeartbeat *heartbeats; /* in this machine's byte order */
	size_t heartbeats_count;
	EventOrigin *origins;
	EventDefinition *tasks;
	EventDefinition *caches;
	uint32_t origins_count;
	uint32_t tasks_count;
	uint32_t caches_count;
	const void **memo_owner; /* who has claimed the memos; NULL: nobody */
	const uint8_t *const *stacks;
	uint32_t epoch;        /* of the symbols that the addresses belong to */
	const EventText *text; /* its one origin and task; NULL: it is of a stream */
} Events;

/* Returns when an event happened: CLOCK_MONOTONIC, 0 in a batch without times. */
static inline uint64_t event_time_ns(const Events *events, const Event *event)
{
	return events->header->base_time_ns + event->after_ns;
}

/* Takes a decoded batch. Returns false where its times cannot be: then all of it is damaged. */
typedef bool (*EventSink)(const Events *events, void *user_data);

/* What the events of an origin have in common. A stack is either frames or text. */
typedef struct {
	uint64_t call_site;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint32_t gfp_flags;
	int16_t node;
	uint8_t source;   /* enum KmtSource */
	bool truncated;   /* the stack reached the depth limit */
	uint16_t cache;   /* number of the definition, KMT_NONE: not known */
	const char *text; /* NULL: frames */
	uint32_t text_bytes;
	uint32_t depth; /* of the frames, innermost first; without a stack the call site alone */
	uint64_t frames[KMT_STACK_DEPTH_MAX];
} EventOriginFacts;

/* Free it with event_reader_free(). inner is borrowed: which events are not decoded; it may be
   filled in until the first batch that has such events. */
EventReader *event_reader_new(const InnerKmallocs *inner);
void event_reader_free(EventReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventReader, event_reader_free)

/* The symbol epoch of what follows. */
void event_reader_set_epoch(EventReader *reader, uint32_t epoch);

/* Returns the decoded batch, valid until the next call. Never reads outside of it, whatever it
   contains; what cannot be decoded ends it. */
const Events *event_reader_decode(EventReader *reader, const Batch *batch);

/* Returns events that came as text, likewise. */
const Events *event_reader_decode_text(EventReader *reader, const EventText *text);

/* Makes the memos of a batch those of one sink, until another one claims them. */
void events_claim_memos(const Events *events, const void *owner);

/* Definitions by their number. */
void events_read_origin(const Events *events, uint16_t origin, EventOriginFacts *facts);
void events_read_task(const Events *events, uint16_t task, EventTask *facts);
void events_read_cache(const Events *events, uint16_t cache, EventCache *facts);

/* Returns the id of a task's cgroup, 0: not recorded. */
uint64_t events_task_cgroup(const Events *events, uint16_t task);

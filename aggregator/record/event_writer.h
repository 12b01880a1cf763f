/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * EventWriter writes the events of a user-space collector into batches. Like the emitter in the
 * kernel, it sends definitions that repeat in a batch once. Nothing is allocated after
 * event_writer_new().
 */
typedef struct EventWriter EventWriter;

/* Takes a whole batch, which is valid only during the call. */
typedef void (*BatchSender)(const void *batch, size_t bytes, void *user_data);

/* The data of an allocation or a free. */
typedef struct {
	uint64_t call_site; /* 0: not recorded */
	uint64_t pointer;   /* 0: the allocation failed */
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint32_t gfp_flags;
	int16_t node;    /* -1: any */
	uint8_t source;  /* enum KmtSource */
	uint8_t context; /* enum KmtContext */
	uint8_t kind;    /* enum KmtOriginKind */
	bool free;       /* false: an allocation */
	/* Its slab cache, borrowed; NULL: unknown. */
	const EventCache *cache;
} EventFacts;

/* A hit of a probe point. All pointers are borrowed. */
typedef struct {
	uint64_t time_ns;
	uint64_t value;  /* as in struct KmtValue */
	uint32_t weight; /* number of hits that it represents */
	uint16_t point;  /* number of the probe point */
	uint8_t context; /* enum KmtContext */
	bool truncated;  /* callers in the kernel may be missing */
	bool user_truncated;
	bool user_has_data; /* the first user frame is data: see KMT_STACK_WITH_DATA */
	uint32_t depth;     /* of the kernel frames, innermost first; 0: none were taken */
	uint32_t user_depth;
	const uint64_t *frames;
	const uint64_t *user_frames;
	const char *columns; /* text of a list's columns; NULL: none */
	uint32_t columns_bytes;
} PointHit;

/* The state of one CPU's batches. The collector owns the numbers; each batch contains them. */
typedef struct {
	uint32_t cpu;
	uint32_t batch_number;    /* of the next batch */
	uint32_t sampling_period; /* nominal: on average one of this many events is taken */
	bool by_bits;             /* ... by bits of its address */
	uint64_t events_written;  /* counted by the writer */
	uint64_t events_lost;     /* lost events as far as known; never decreases */
	uint64_t left_out_self;
	uint64_t left_out_interrupt;
	uint64_t passed_over; /* as in struct KmtHeartbeat, as the next one */
	uint64_t probe_ns;
} EventCpu;

/* Returns a new one; free it with event_writer_free(). */
EventWriter *event_writer_new(BatchSender send, void *user_data);
void event_writer_free(EventWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventWriter, event_writer_free)

/* Writes hits of probe points from now on, not allocations. Call it before the first event. */
void event_writer_take_points(EventWriter *writer);

/* Sets the CPU of the events that follow. It is borrowed until the batch is closed. */
void event_writer_open(EventWriter *writer, EventCpu *cpu);

/* Where a batch has the origin of an event. */
typedef struct {
	uint64_t batch; /* 0: none */
	uint32_t index;
} WrittenOrigin;

/* Adds an event of the open CPU that represents weight events. frames: depth frames, innermost
   first; depth 0: no stack was taken; truncated: callers may be missing. Returns its origin. */
WrittenOrigin event_writer_add(EventWriter *writer, uint64_t time_ns, const EventTask *task,
			       const EventFacts *event, uint32_t weight, const uint64_t *frames,
			       uint32_t depth, bool truncated);

/* Adds an event that has this origin, and weight 1, if the origin is in the open batch. Else
   returns false: event_writer_add() has to define it. Of event, only the pointer, the context and
   whether it is a free are read. */
bool event_writer_add_again(EventWriter *writer, uint64_t time_ns, const EventTask *task,
			    const EventFacts *event, const WrittenOrigin *origin);

/* Adds a hit of a probe point on the open CPU. Stacks deeper than KMT_STACK_DEPTH_MAX and columns
   longer than KMT_COLUMNS_BYTES_MAX are cut. */
void event_writer_add_hit(EventWriter *writer, const EventTask *task, const PointHit *hit);

/* Adds the heartbeat of the open CPU: all events before complete_until_ns were sent. */
void event_writer_beat(EventWriter *writer, uint64_t complete_until_ns);

/* Sends the events added since the last batch. */
void event_writer_close(EventWriter *writer);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * EventWriter makes batches of events of what a collector in user space has read: definitions that
 * repeat in a batch are sent once, as the emitter in the kernel does it. Nothing is allocated after
 * event_writer_new().
 */
typedef struct EventWriter EventWriter;

/* Takes a whole batch, which is valid for the call only. */
typedef void (*BatchSender)(const void *batch, size_t bytes, void *user_data);

/* What an allocation or a free was. */
typedef struct {
	uint64_t call_site; /* 0: not recorded */
	uint64_t pointer;   /* 0: the allocation failed */
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
	uint32_t gfp_flags;
	int16_t node;    /* -1: any */
	uint8_t source;  /* enum KmtSource */
	uint8_t context; /* enum KmtContext */
	bool free;       /* else an allocation */
	/* Its slab cache, which is borrowed; NULL: not known. */
	const EventCache *cache;
} EventFacts;

/* A CPU's part of the stream: its numbers belong to the collector, and go into each batch. */
typedef struct {
	uint32_t cpu;
	uint32_t batch_number;    /* of the next batch */
	uint32_t sampling_period; /* nominal: one of so many events is taken in the mean */
	uint64_t events_written;  /* counted by the writer */
	uint64_t events_lost;     /* likewise of so many; as far as known; never less than before */
	uint64_t left_out_self;
	uint64_t left_out_interrupt;
	uint64_t probe_ns; /* as in struct KmtHeartbeat */
} EventCpu;

EventWriter *event_writer_new(BatchSender send, void *user_data);
void event_writer_free(EventWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventWriter, event_writer_free)

/* The events that follow are of that CPU, which is borrowed until the batch is closed. */
void event_writer_open(EventWriter *writer, EventCpu *cpu);

/* Adds an event of the open CPU that stands for weight events. frames: innermost first, depth of
   them, 0: its stack was not taken; truncated: callers may be missing. */
void event_writer_add(EventWriter *writer, uint64_t time_ns, const EventTask *task,
		      const EventFacts *event, uint32_t weight, const uint64_t *frames,
		      uint32_t depth, bool truncated);

/* Adds the heartbeat of the open CPU: no event of it before that time will follow. */
void event_writer_beat(EventWriter *writer, uint64_t complete_until_ns);

/* Sends what was added since the last batch. */
void event_writer_close(EventWriter *writer);

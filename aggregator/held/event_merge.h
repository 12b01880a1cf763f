/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * EventMerge has a queue of events per CPU, and merges them by time. Events of the same time are
 * merged in the order of their CPUs: the result does not depend on the order of the batches.
 */
typedef struct EventMerge EventMerge;

/* An event that waits for the events of other CPUs. */
typedef struct {
	uint64_t time_ns;
	uint64_t pointer;
	uint32_t cell; /* of the profile */
	uint16_t cpu;
	uint8_t space : 3; /* of addresses; see pairing.c */
	uint8_t kind : 5;  /* enum KmtOriginKind */
	bool free : 1;
	uint8_t level : 7; /* of a time span's end: it stands for 2^level */
} WaitingEvent;

/* Returns a new one; free it with event_merge_free(). */
EventMerge *event_merge_new(void);
void event_merge_free(EventMerge *merge);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventMerge, event_merge_free)

/* Adds an event of event->cpu. If it is slightly earlier than those before it, as nested interrupts
   leave it, it is put where it belongs; if it is much earlier, its time is changed. */
void event_merge_put(EventMerge *merge, const WaitingEvent *event);

/* Removes the earliest events, at most count, of those before until_ns. Returns their number. */
unsigned event_merge_take(EventMerge *merge, uint64_t until_ns, WaitingEvent *events,
			  unsigned count);

/* Returns the number of events in all queues. */
size_t event_merge_count(const EventMerge *merge);

/* Takes an event that still waits. */
typedef void (*WaitingVisitor)(const WaitingEvent *event, void *user_data);

/* Passes all events to visit(), in no particular order. */
void event_merge_each(const EventMerge *merge, WaitingVisitor visit, void *user_data);

/* Returns the memory in use, in bytes. */
size_t event_merge_memory(const EventMerge *merge);

/* Gives back memory that is not in use. */
void event_merge_trim(EventMerge *merge);

/* Does so if the queues take more than that. Returns false if their events take two thirds of it,
   because queues may take half as much memory again: then events have to be taken first. */
bool event_merge_trim_to(EventMerge *merge, size_t bytes_max);

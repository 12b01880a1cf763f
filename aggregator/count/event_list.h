/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * EventList keeps the hits of probe points one by one, for lists. Beside it, the profile counts
 * them. It has a limit of memory; hits beyond it are counted as dropped.
 */
typedef struct EventList EventList;

#define LATENCY_UNKNOWN UINT64_MAX

/* A hit. Of a time span there are two, its begin and its end. */
typedef struct {
	uint64_t time_ns;
	uint64_t latency_ns; /* of an end: since its begin; LATENCY_UNKNOWN: none is known */
	uint32_t begin;      /* of an end with a latency: index of its begin */
	uint32_t tid;
	uint32_t cell; /* of the profile: task, stack and point */
	uint32_t cpu;
	uint32_t previous; /* index + 1 of the hit of this thread at this time before it; 0: none */
	uint32_t text_at;  /* in the texts of all columns */
	uint32_t text_bytes;
	uint16_t point;
} ListedHit;

/* Returns a new one; free it with event_list_free(). */
EventList *event_list_new(size_t bytes_max);
void event_list_free(EventList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(EventList, event_list_free)

/* Takes the hits of a batch, with their cells as profile_take_noting() writes them. */
void event_list_take(EventList *list, const Events *events, const uint32_t *cells);

/* Notes that the hits of that thread at these times are the begin and the end of a time span. */
void event_list_note_span(EventList *list, uint32_t tid, uint64_t begin_ns, uint64_t end_ns);

/* Returns the number of hits, and one of them by its index below it; valid until the next hit. */
uint32_t event_list_count(const EventList *list);
const ListedHit *event_list_at(const EventList *list, uint32_t index);

/* Returns the text of its columns, separated by tabs; *bytes: its length. */
const char *event_list_text(const EventList *list, const ListedHit *hit, uint32_t *bytes);

/* Returns how many hits found no room. */
uint64_t event_list_dropped(const EventList *list);

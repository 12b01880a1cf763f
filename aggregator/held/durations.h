/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/event_list.h"
#include "count/profile.h"
#include "record/point_list.h"

#include <glib.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Durations makes time spans of hits of probe points: a begin and the next end of the same pair in
 * the same thread. In interrupts, the CPU takes the place of the thread. A span counts in the
 * profile, at the stack of its begin, when it has ended.
 *
 * Hits of different CPUs are merged by time before they are paired.
 */
typedef struct Durations Durations;

/* Classes of lengths: from 1 ns, 2 ns, 5 ns, 10 ns and so on; a uint64_t reaches the last one. */
enum { DURATION_CLASSES = 58 };

/* Returns where a class begins; the one before ends there. The first also has spans of 0 ns. */
uint64_t duration_class_from_ns(unsigned class);

typedef struct {
	uint64_t spans;
	uint64_t time_ns; /* of all spans together; saturates */
	uint64_t time_max_ns;
	uint64_t not_begun;  /* ends without a begin: it was before the start, or lost */
	uint64_t not_ended;  /* begins that were followed by another begin: the end was lost */
	uint64_t open;       /* begins without an end so far */
	uint64_t over_bound; /* begins that found no room */
	uint64_t classes[DURATION_CLASSES]; /* spans, by class of their length */
} DurationTotals;

/* Counts in the profile; both are borrowed. */
Durations *durations_new(Profile *profile, const PointList *points, size_t bytes_max);
void durations_free(Durations *durations);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Durations, durations_free)

/* Lists the ends of time spans, too, with their latency. The list is borrowed. */
void durations_set_list(Durations *durations, EventList *list);

/* Takes a decoded batch of hits, instead of the profile. */
void durations_take(Durations *durations, const Events *events);

/* Pairs the hits before that time: none will follow. */
void durations_release(Durations *durations, uint64_t complete_until_ns);

/* Returns the sums over all spans so far. */
DurationTotals durations_totals(const Durations *durations);

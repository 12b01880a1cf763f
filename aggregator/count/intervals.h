/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Intervals cut a stream into spans of equal length by the times of its events, however late their
 * batches come. A span is handed out when every CPU has reported that no event of it will follow.
 * If no event comes for a long time, many spans become one.
 */
typedef struct Intervals Intervals;

/* One span, with what was counted in it. Everything is borrowed for the call. */
typedef struct {
	uint64_t number;   /* from 0, without a gap */
	uint64_t start_ns; /* monotonic: the first instant of it ... */
	uint64_t end_ns;   /* ... and the first instant after it */
	const Profile *profile;
	bool partial; /* events of it may still come: they will count in the one after it */
} Interval;

/* Takes the intervals in their order. */
typedef void (*IntervalSink)(const Interval *interval, void *user_data);

/*
 * Returns intervals of that length. The sink gets each one. All together take at most bytes_max:
 * where they would take more, the first one is handed out early, as partial. Free them with
 * intervals_free(), which drops those that were not handed out.
 */
Intervals *intervals_new(uint64_t length_ns, size_t bytes_max, IntervalSink sink, void *user_data);
void intervals_free(Intervals *intervals);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Intervals, intervals_free)

/* The first interval begins at start_ns; nothing before it or after end_ns counts. Until it is
   called, or with UINT64_MAX as start, nothing counts. Both may be set later; the start no longer
   moves when an interval has begun. */
void intervals_set_window(Intervals *intervals, uint64_t start_ns, uint64_t end_ns);

/* From here on intervals have another length. The one that has begun ends at the next multiple of
   grain_ns, behind all that was counted in it. */
void intervals_set_length(Intervals *intervals, uint64_t length_ns, uint64_t grain_ns);

/* Counts the events of a batch, whether they are in the window or not. Returns false for one whose
   time is more than a day ahead, and thus damaged: nothing of it is counted. */
bool intervals_take(Intervals *intervals, const Events *events);

/* Gives away what has ended before that time, until when every CPU has now said that all of its
   events were sent (loss_ledger_complete_until()). */
void intervals_complete(Intervals *intervals, uint64_t complete_until_ns);

/* Gives away what has ended before that time, complete or not: a CPU may have nothing to say. The
   last one of the window waits for intervals_finish(). */
void intervals_expire(Intervals *intervals, uint64_t time_ns);

/* The stream has ended at end_ns: gives away the rest, whose last one may be short. */
void intervals_finish(Intervals *intervals, uint64_t end_ns);

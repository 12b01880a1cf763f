/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

#include <glib.h>
#include <stdbool.h>

/*
 * Intervals divide a stream into spans of equal length by the times of its events, however late
 * their batches come. A span is passed on when every CPU has reported that all its events were
 * sent. In a long time without events, many spans become one.
 */
typedef struct Intervals Intervals;

/* One span and its counts. All pointers are borrowed for the call. */
typedef struct {
	uint64_t number;   /* from 0, without gaps */
	uint64_t start_ns; /* monotonic, inclusive */
	uint64_t end_ns;   /* exclusive */
	const Profile *profile;
	bool partial; /* its late events will count in the next interval */
} Interval;

/* Takes the intervals in order. */
typedef void (*IntervalSink)(const Interval *interval, void *user_data);

/*
 * Returns intervals of this length; the sink gets each interval. Together they use at most
 * bytes_max: at that limit the first interval is passed on early, as partial. Free them with
 * intervals_free(), which drops those that were not passed on.
 */
Intervals *intervals_new(uint64_t length_ns, size_t bytes_max, IntervalSink sink, void *user_data);
void intervals_free(Intervals *intervals);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Intervals, intervals_free)

/* Sets the window. The first interval begins at start_ns; nothing before start_ns or after end_ns
   counts. Before this call, or with start_ns UINT64_MAX, nothing counts. Both may be set later;
   after the first interval began, the start is fixed. */
void intervals_set_window(Intervals *intervals, uint64_t start_ns, uint64_t end_ns);

/* Sets the length of later intervals. The current interval ends at the next multiple of grain_ns
   after its last event. */
void intervals_set_length(Intervals *intervals, uint64_t length_ns, uint64_t grain_ns);

/* Counts the events of a batch that are inside the window. Returns false, and counts nothing, for a
   batch more than a day ahead: its time is damaged. */
bool intervals_take(Intervals *intervals, const Events *events);

/* Passes on intervals that end before this time. Every CPU has reported that its events up to this
   time were sent (loss_ledger_complete_until()). */
void intervals_complete(Intervals *intervals, uint64_t complete_until_ns);

/* Passes on intervals that end before this time, complete or not: an idle CPU may report nothing.
   The last interval of the window waits for intervals_finish(). */
void intervals_expire(Intervals *intervals, uint64_t time_ns);

/* Ends the stream at end_ns: passes on the rest. The last interval may be short. */
void intervals_finish(Intervals *intervals, uint64_t end_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/intervals.h"

#include "record/bytes.h"

enum { OPEN_MAX = 1024 }; /* intervals: who waits for all CPUs has to end somewhere */

/* A time so far ahead of all before it is damage: nobody waits for all the empty intervals. */
#define AHEAD_NS_MAX (24 * 3600 * 1000000000ULL)

/* Of an interval that is not given away yet. */
typedef struct {
	Profile *profile; /* owned */
	uint64_t number;
} Open;

struct Intervals {
	uint64_t length_ns;
	size_t bytes_max;
	IntervalSink sink;
	void *user_data;
	uint64_t start_ns; /* of the window; UINT64_MAX: not known */
	uint64_t end_ns;
	uint32_t epoch;
	Profile *outside; /* owned; in whose window nothing is: to decode what counts nowhere */
	uint64_t next;    /* number of the first one that was not given away */
	GQueue opened;    /* (element-type Open), owned, in order, the first is next */
};

Intervals *intervals_new(uint64_t length_ns, size_t bytes_max, IntervalSink sink, void *user_data)
{
	Intervals *intervals = g_new0(Intervals, 1);

	intervals->length_ns = length_ns;
	intervals->bytes_max = bytes_max;
	intervals->sink = sink;
	intervals->user_data = user_data;
	intervals->start_ns = UINT64_MAX;
	intervals->end_ns = UINT64_MAX;
	intervals->outside = profile_new(0);
	profile_set_window(intervals->outside, UINT64_MAX, 0);
	g_queue_init(&intervals->opened);
	return intervals;
}

static void open_free(Open *open)
{
	profile_free(open->profile);
	g_free(open);
}

void intervals_free(Intervals *intervals)
{
	Open *open;

	if (!intervals)
		return;
	while ((open = g_queue_pop_head(&intervals->opened)))
		open_free(open);
	profile_free(intervals->outside);
	g_free(intervals);
}

static uint64_t start_of(const Intervals *intervals, uint64_t number)
{
	return intervals->start_ns + number * intervals->length_ns;
}

/* The first one that is open also takes what came too late for those before it. */
static void set_bounds(const Intervals *intervals, const Open *open)
{
	uint64_t start_ns = open->number == intervals->next ? intervals->start_ns
							    : start_of(intervals, open->number);
	uint64_t last_ns = start_of(intervals, open->number + 1) - 1;

	profile_set_window(open->profile, start_ns, MIN(last_ns, intervals->end_ns));
}

static void open_next(Intervals *intervals)
{
	Open *open = g_new0(Open, 1);

	open->profile = profile_new(intervals->bytes_max);
	open->number = intervals->next + g_queue_get_length(&intervals->opened);
	profile_set_epoch(open->profile, intervals->epoch);
	set_bounds(intervals, open);
	g_queue_push_tail(&intervals->opened, open);
}

void intervals_set_window(Intervals *intervals, uint64_t start_ns, uint64_t end_ns)
{
	if (!intervals->next)
		intervals->start_ns = start_ns <= INT64_MAX ? start_ns : UINT64_MAX;
	intervals->end_ns = end_ns;
	for (GList *link = intervals->opened.head; link; link = link->next)
		set_bounds(intervals, link->data);
}

void intervals_set_epoch(Intervals *intervals, uint32_t epoch)
{
	intervals->epoch = epoch;
	for (GList *link = intervals->opened.head; link; link = link->next)
		profile_set_epoch(((Open *)link->data)->profile, epoch);
}

/* Gives away the first one, opening it first when no event came so far. */
static void give(Intervals *intervals, uint64_t end_ns, bool partial)
{
	Interval interval;
	Open *open;

	if (g_queue_is_empty(&intervals->opened))
		open_next(intervals);
	open = g_queue_pop_head(&intervals->opened);
	interval = (Interval){
		.number = open->number,
		.start_ns = start_of(intervals, open->number),
		.end_ns = MIN(start_of(intervals, open->number + 1), end_ns),
		.profile = open->profile,
		.partial = partial,
	};
	intervals->next++;
	if (intervals->opened.head)
		set_bounds(intervals, intervals->opened.head->data);
	intervals->sink(&interval, intervals->user_data);
	open_free(open);
}

static bool is_ahead(const Intervals *intervals, uint64_t time_ns)
{
	uint64_t next_ns = start_of(intervals, intervals->next);

	return time_ns > next_ns && time_ns - next_ns > AHEAD_NS_MAX;
}

/* Gives away those that end at that time or before. */
static void give_until(Intervals *intervals, uint64_t time_ns, bool partial)
{
	if (intervals->start_ns == UINT64_MAX || is_ahead(intervals, time_ns))
		return;
	while (start_of(intervals, intervals->next + 1) <= time_ns)
		give(intervals, UINT64_MAX, partial);
}

/* Returns the time of the last event of a batch; 0: it has none. Never reads outside of it. */
static uint64_t last_event_ns(const Batch *batch)
{
	const uint8_t *at = batch->content, *end = at + batch->content_bytes;
	uint32_t latest = 0;
	bool any = false;

	while ((size_t)(end - at) >= sizeof(struct KmtEvent)) {
		uint32_t bytes = (uint32_t)at[1] * KMT_RECORD_UNIT_BYTES;
		bool is_event = at[0] == KMT_RECORD_ALLOC || at[0] == KMT_RECORD_FREE ||
				at[0] == KMT_RECORD_WEIGHTED || at[0] == KMT_RECORD_REPEATED;

		if (!bytes)
			break;
		if (is_event)
			latest = MAX(latest, load_u32(at + offsetof(struct KmtEvent, when),
						      batch->swapped) &
						     KMT_TIME_MASK);
		any |= is_event;
		if (bytes > (size_t)(end - at))
			break;
		at += bytes;
	}
	return any ? batch->header.base_time_ns + latest : 0;
}

uint64_t intervals_count(Intervals *intervals, const Batch *batch)
{
	uint64_t last_ns = MIN(last_event_ns(batch), intervals->end_ns);
	uint64_t decoded = 0;

	/* The start that is not known yet is later than all. */
	if (last_ns < intervals->start_ns)
		return profile_count_batch(intervals->outside, batch);
	if (is_ahead(intervals, last_ns))
		return 0;
	give_until(intervals, last_ns - MIN(last_ns, (OPEN_MAX - 1) * intervals->length_ns), true);
	/* Late for all that were given away: there has to be one that takes it. */
	while (g_queue_is_empty(&intervals->opened) ||
	       start_of(intervals, intervals->next + g_queue_get_length(&intervals->opened)) <=
		       last_ns)
		open_next(intervals);
	for (GList *link = intervals->opened.head; link; link = link->next) {
		const Open *open = link->data;

		if (start_of(intervals, open->number) > last_ns && open->number != intervals->next)
			break;
		decoded = profile_count_batch(open->profile, batch);
	}
	return decoded;
}

void intervals_complete(Intervals *intervals, uint64_t complete_until_ns)
{
	give_until(intervals, MIN(complete_until_ns, intervals->end_ns), false);
}

void intervals_expire(Intervals *intervals, uint64_t time_ns)
{
	/* No other one could take what comes too late for the last. */
	give_until(intervals, MIN(time_ns, intervals->end_ns - 1), true);
}

void intervals_finish(Intervals *intervals, uint64_t end_ns)
{
	if (intervals->start_ns == UINT64_MAX)
		return;
	end_ns = MIN(end_ns, intervals->end_ns);
	if (is_ahead(intervals, end_ns))
		end_ns = start_of(intervals, intervals->next + intervals->opened.length);
	give_until(intervals, end_ns, false);
	if (start_of(intervals, intervals->next) < end_ns || intervals->opened.head)
		give(intervals, end_ns, false);
}

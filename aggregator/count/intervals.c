/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue of open intervals, each with a profile of its own. Events go to the interval of their
 * time; an interval is closed and given to its sink (rates/) when all CPUs have reported beyond its
 * end, or when waiting would last too long.
 */
#include "count/intervals.h"

#include "record/format.h"
#include "base/unconst.h"

enum { SHARES = 2 };   /* of the memory: one for an interval, one for all others */
enum { GAP_MAX = 64 }; /* separate intervals without events; a longer gap is one interval */

/* A time this far after the first open interval is damaged. */
#define AHEAD_NS_MAX (24 * 3600 * 1000000000ULL)

/* An interval that was not passed on yet. */
typedef struct {
	Profile *profile; /* owned */
	uint64_t start_ns;
	uint64_t end_ns; /* exclusive */
} Open;

struct Intervals {
	uint64_t length_ns;
	size_t bytes_max;
	IntervalSink sink;
	void *user_data;
	uint64_t start_ns; /* of the window; UINT64_MAX: unknown */
	uint64_t end_ns;
	uint64_t opens_ns;  /* start of the next interval to open */
	uint64_t latest_ns; /* time of the latest counted event */
	uint64_t next;      /* number of the first interval not passed on */
	GQueue opened;      /* (element-type Open), owned, in order of time */
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
	g_free(intervals);
}

/* The first open interval also takes events that are late for earlier intervals. The last one of
   the window includes events at the window's very end. */
static void set_bounds(const Intervals *intervals, const Open *open)
{
	bool is_first = open == g_queue_peek_head(unconst(&intervals->opened));
	uint64_t start_ns = is_first ? intervals->start_ns : open->start_ns;
	uint64_t last_ns = open->end_ns < intervals->end_ns ? open->end_ns - 1 : intervals->end_ns;

	profile_set_window(open->profile, start_ns, last_ns);
}

/* Opens the next interval towards that time. In a long gap, opens one that ends where the interval
   of that time begins. */
static void open_next(Intervals *intervals, uint64_t time_ns)
{
	uint64_t lengths = (time_ns - MIN(time_ns, intervals->opens_ns)) / intervals->length_ns;
	Open *open = g_new0(Open, 1);

	open->profile = profile_new(intervals->bytes_max / SHARES);
	open->start_ns = intervals->opens_ns;
	open->end_ns = open->start_ns + (lengths > GAP_MAX ? lengths : 1) * intervals->length_ns;
	intervals->opens_ns = open->end_ns;
	g_queue_push_tail(&intervals->opened, open);
	set_bounds(intervals, open);
}

void intervals_set_window(Intervals *intervals, uint64_t start_ns, uint64_t end_ns)
{
	if (!intervals->next && g_queue_is_empty(&intervals->opened)) {
		intervals->start_ns = start_ns <= INT64_MAX ? start_ns : UINT64_MAX;
		intervals->opens_ns = intervals->start_ns;
	}
	intervals->end_ns = end_ns;
	for (GList *link = intervals->opened.head; link; link = link->next)
		set_bounds(intervals, link->data);
}

void intervals_set_length(Intervals *intervals, uint64_t length_ns, uint64_t grain_ns)
{
	Open *last = g_queue_peek_tail(&intervals->opened);
	uint64_t after_ns;

	intervals->length_ns = length_ns;
	if (!last)
		return;
	after_ns = MAX(intervals->latest_ns, last->start_ns) / grain_ns * grain_ns + grain_ns;
	last->end_ns = MIN(last->end_ns, after_ns);
	intervals->opens_ns = last->end_ns;
	set_bounds(intervals, last);
}

/* Passes on the first interval. */
static void intervals_give(Intervals *intervals, bool partial)
{
	Open *open = g_queue_pop_head(&intervals->opened);
	const Interval interval = {
		.number = intervals->next++,
		.start_ns = open->start_ns,
		.end_ns = open->end_ns,
		.profile = open->profile,
		.partial = partial,
	};

	if (intervals->opened.head)
		set_bounds(intervals, intervals->opened.head->data);
	intervals->sink(&interval, intervals->user_data);
	open_free(open);
}

static uint64_t first_end_ns(const Intervals *intervals)
{
	const Open *first = g_queue_peek_head(unconst(&intervals->opened));

	return first ? first->end_ns : intervals->opens_ns + intervals->length_ns;
}

/* Whether a time is too far ahead for a clock: damaged. */
static bool is_ahead(const Intervals *intervals, uint64_t time_ns)
{
	uint64_t until_ns = first_end_ns(intervals);

	return time_ns > INT64_MAX || (time_ns > until_ns && time_ns - until_ns > AHEAD_NS_MAX);
}

/* Passes on the intervals that end at or before that time, with or without events. */
static void give_until(Intervals *intervals, uint64_t time_ns, bool partial)
{
	if (intervals->start_ns == UINT64_MAX || is_ahead(intervals, time_ns))
		return;
	while (first_end_ns(intervals) <= time_ns) {
		if (g_queue_is_empty(&intervals->opened))
			open_next(intervals, time_ns);
		intervals_give(intervals, partial);
	}
}

static size_t memory_of_open(const Intervals *intervals)
{
	size_t bytes = 0;

	for (const GList *link = intervals->opened.head; link; link = link->next)
		bytes += profile_memory(((const Open *)link->data)->profile);
	return bytes;
}

/* Opens all intervals up to that time, and at least one: it has to take late events. */
static void open_until(Intervals *intervals, uint64_t time_ns)
{
	while (g_queue_is_empty(&intervals->opened) || intervals->opens_ns <= time_ns) {
		open_next(intervals, time_ns);
		while (intervals->opened.length > 1 &&
		       memory_of_open(intervals) > intervals->bytes_max)
			intervals_give(intervals, true);
	}
}

bool intervals_take(Intervals *intervals, const Events *events)
{
	uint64_t base_ns = events->header->base_time_ns;
	uint64_t last_ns = MIN(events->last_ns, intervals->end_ns);
	bool any = false;

	/* An unknown start is later than all times. */
	if (events->last_ns < intervals->start_ns || base_ns > intervals->end_ns)
		return true;
	if (is_ahead(intervals, last_ns))
		return false;
	intervals->latest_ns = MAX(intervals->latest_ns, last_ns);
	/* No interval begins at the end of the window. */
	open_until(intervals, MIN(last_ns, intervals->end_ns - 1));
	for (GList *link = intervals->opened.head; link; link = link->next) {
		const Open *open = link->data;

		/* Intervals after the batch have none of its events, unless no earlier interval is
		   open. */
		if (open->start_ns > last_ns && any)
			break;
		/* Intervals before it have none either, but the last interval takes late events. */
		if (link->next && open->end_ns <= base_ns)
			continue;
		profile_take(open->profile, events);
		any = true;
	}
	return true;
}

void intervals_complete(Intervals *intervals, uint64_t complete_until_ns)
{
	give_until(intervals, MIN(complete_until_ns, intervals->end_ns), false);
}

void intervals_expire(Intervals *intervals, uint64_t time_ns)
{
	/* If this is the last interval, no other could take events that are late for it. */
	give_until(intervals, MIN(time_ns, intervals->end_ns - 1), true);
}

void intervals_finish(Intervals *intervals, uint64_t end_ns)
{
	Open *last;

	if (intervals->start_ns == UINT64_MAX)
		return;
	end_ns = MIN(end_ns, intervals->end_ns);
	if (is_ahead(intervals, end_ns))
		end_ns = intervals->opens_ns;
	give_until(intervals, end_ns, false);
	if (intervals->opens_ns < end_ns)
		open_until(intervals, end_ns - 1);
	/* Some were opened before the end of the window was known, and have no events. */
	while ((last = g_queue_peek_tail(&intervals->opened)) &&
	       last->start_ns >= intervals->end_ns && !profile_totals(last->profile).events)
		open_free(g_queue_pop_tail(&intervals->opened));
	/* A stream may lack its end: then the counted events end there. */
	if (last) {
		uint64_t known_ns = MIN(MAX(end_ns, intervals->latest_ns + 1), intervals->end_ns);

		last->end_ns = MAX(MIN(last->end_ns, known_ns), last->start_ns);
	}
	while (intervals->opened.head)
		intervals_give(intervals, false);
}

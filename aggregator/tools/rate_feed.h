/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_table.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A RateFeed makes a table of every interval of the stream that a session takes, as soon as every
 * CPU has sent all of it. After a timeout it hands out the interval as it is, marked as partial.
 */
typedef struct RateFeed RateFeed;

/* Intervals are a multiple of it, so that within it it does not matter when an event was. */
enum { RATE_GRAIN_NS = 1000000 };

/* Takes the tables in their order, and owns them. */
typedef void (*RateTableSink)(RateTable *table, void *user_data);

/* Everything is borrowed until the feed is freed. */
typedef struct {
	double interval_s;
	const Metric *sort;
	const GArray *cells; /* (element-type CellFilter); it may grow until the first table */
	/* MetricNeed: what tables are to show. NEEDS_SLABINFO: of this host, read now and then; of
	   a recording, what it has. */
	unsigned needs;
	bool recorded; /* the stream is of another time, or host */
	/* What is known of the net of a whole recording, which this stream is, borrowed. NULL: what
	   was counted so far is compared with a live host. */
	const NetCheck *net_judged;
	/* All intervals count in the session's profile, too: for who looks at more than tables. */
	bool counts_all;
	size_t bytes_max; /* of the counters of an interval */
	/* A recording at its own speed; else as fast as it is read. */
	bool paced;
	/* Before the first interval that ends is added up; NULL: nothing. */
	void (*before_first)(void *user_data);
	RateTableSink sink;
	void *user_data;
} RateFeedOptions;

/* From here on listens to the session, until it is freed. */
RateFeed *rate_feed_new(Session *session, const RateFeedOptions *options);
void rate_feed_free(RateFeed *feed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateFeed, rate_feed_free)

/* To be called now and then in a live run. */
void rate_feed_tick(RateFeed *feed);

/* Begins intervals of another length; the one that had begun is cut short. */
void rate_feed_set_interval(RateFeed *feed, double interval_s);

/* What tables are sorted by from the next one on. */
void rate_feed_set_sort(RateFeed *feed, const Metric *sort);

/* The stream has ended: gives away the rest. */
void rate_feed_finish(RateFeed *feed);

/* Called about ten times a second while a paced feed waits. Returns false: do not wait. */
void rate_feed_set_waiting(RateFeed *feed, bool (*waiting)(void *user_data));

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "rates/rate_chart.h"
#include "rates/rate_table.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>

/* A ChartFeed makes the chart of a run for formats that show one. */
typedef struct ChartFeed ChartFeed;

/* Starts to listen to the session, until the feed is freed; before its first bytes. Returns NULL if
   the format has no chart, or not of these events. */
ChartFeed *chart_feed_new(Session *session, const Options *options);
void chart_feed_free(ChartFeed *feed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ChartFeed, chart_feed_free)

/* The stream has ended. Returns the chart, which belongs to the feed. feed may be NULL: NULL. */
RateChart *chart_feed_finish(ChartFeed *feed);

/*
 * A RateFeed makes a table for every interval of a session's stream, as soon as every CPU has sent
 * all of it. After a timeout it delivers the interval so far, marked as partial.
 */
typedef struct RateFeed RateFeed;

/* Intervals are a multiple of this, so times of events may be rounded to it. */
enum { RATE_GRAIN_NS = 1000000 };

/* Receives the tables in order, and owns them. */
typedef void (*RateTableSink)(RateTable *table, void *user_data);

/* How a recording is read. */
typedef enum {
	RATE_FEED_FAST,  /* without waiting */
	RATE_FEED_PACED, /* at its own speed */
	RATE_FEED_STEP,  /* without waiting up to the next table, then held */
	RATE_FEED_HELD,  /* not at all */
} RateFeedPace;

/* Everything is borrowed until the feed is freed. */
typedef struct {
	double interval_s;
	const Metric *sort;
	const GArray *cells; /* (element-type CellFilter); may grow until the first table */
	/* MetricNeed: what tables show. NEEDS_SLABINFO: read regularly from this host, or taken
	   from the recording. */
	unsigned needs;
	bool recorded; /* the stream is from another time or host */
	/* The net check of the whole recording, borrowed. NULL: compares the counts so far with the
	   live host. */
	const NetCheck *net_judged;
	/* All intervals also count in the session's profile, for views beyond tables. */
	bool counts_all;
	size_t bytes_max;  /* for the counters of an interval */
	RateFeedPace pace; /* of a recording */
	/* Called before the first complete interval is summed; NULL: none. */
	void (*before_first)(void *user_data);
	/* Called before each batch of a recording, and about ten times a second while its feed
	   waits. Returns false to stop waiting. NULL: none. */
	bool (*waiting)(void *user_data);
	RateTableSink sink;
	void *user_data;
} RateFeedOptions;

/* Starts to listen to the session, until the feed is freed. */
RateFeed *rate_feed_new(Session *session, const RateFeedOptions *options);
void rate_feed_free(RateFeed *feed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateFeed, rate_feed_free)

/* Call it regularly in a live run. */
void rate_feed_tick(RateFeed *feed);

/* Starts intervals of another length; cuts the current one short. */
void rate_feed_set_interval(RateFeed *feed, double interval_s);

/* Returns the reading of the objects in use at the end of the newest table, borrowed until the next
   one; NULL: there is none. */
const Slabinfo *rate_feed_slabinfo(const RateFeed *feed);

/* The stream has ended: delivers the remaining tables. */
void rate_feed_finish(RateFeed *feed);

/* Changes how a recording is read; it goes on from where it is. */
void rate_feed_set_pace(RateFeed *feed, RateFeedPace pace);

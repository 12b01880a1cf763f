/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "rates/rate_table.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A RateChart is a run over time, for a picture: what each slab cache did in at most
 * RATE_CHART_POINTS parts of the run, however long the run is. Whenever there are more, each two
 * neighbours become one. Its memory is bounded: from the 1,001st cache on, they count as others,
 * and no query wants them.
 */
typedef struct RateChart RateChart;

enum { RATE_CHART_POINTS = 128 };

/* What a cache did in a part of the run, and what it held at the end of that part. */
typedef struct {
	uint64_t allocations;
	uint64_t bytes_allocated;
	uint64_t objects_held;
	uint64_t bytes_held;
} RatePoint;

/* A cache, by part of the run. */
typedef struct {
	const char *label;       /* escaped, borrowed; NULL: all other caches together */
	const RatePoint *points; /* rate_chart_points() of them, borrowed */
} RateSeries;

/* Returns a new one; free it with rate_chart_free(). */
RateChart *rate_chart_new(void);
void rate_chart_free(RateChart *chart);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateChart, rate_chart_free)

/* Adds the next table. Returns true if later tables may be about twice as long, because neighbours
   became one. */
bool rate_chart_take(RateChart *chart, const RateTable *table);

/* Returns the number of parts; 0: the events have no times. */
guint rate_chart_points(const RateChart *chart);

/* Returns when a part begins, in ns since the start of the first one. That of the number of parts
   is the end of the last part. */
uint64_t rate_chart_start_ns(const RateChart *chart, guint point);

/* Whether it is known what was held. */
bool rate_chart_has_held(const RateChart *chart);

/* Returns the caches (element-type RateSeries) that the query wants (NULL: all), the largest first,
   at most series_max and one for all others. They rank by their largest share of any figure: with
   many small objects, a cache is as important as with few large ones. The caller unrefs the array;
   the chart owns the rest. */
GArray *rate_chart_series(RateChart *chart, const CacheQuery *query, guint series_max);

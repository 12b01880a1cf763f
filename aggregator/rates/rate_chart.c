/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounded series for each cache: when the points are full, each two become one, for all caches.
 * chart_feed.c adds the table of each interval; the page and JSON draw it.
 */
#include "rates/rate_chart.h"

#include "base/keyed_hash.h"
#include "base/saturate.h"

#include <string.h>

/* Of a recording that names more, the later ones share their points: 4 MB. */
enum { CACHES_MAX = 1000 };

typedef struct {
	char *label;
	char *name; /* NULL: unknown */
	double weight;
	RatePoint points[RATE_CHART_POINTS];
} ChartCache;

struct RateChart {
	GHashTable *by_label; /* (element-type utf8 ChartCache) */
	GPtrArray *caches;    /* (element-type ChartCache), owned */
	ChartCache *later;    /* all caches beyond CACHES_MAX; NULL: none */
	RatePoint others[RATE_CHART_POINTS];
	uint64_t starts_ns[RATE_CHART_POINTS + 1];
	guint points;
	bool has_held;
};

static void cache_free(ChartCache *cache)
{
	if (!cache)
		return;
	g_free(cache->label);
	g_free(cache->name);
	g_free(cache);
}

RateChart *rate_chart_new(void)
{
	RateChart *chart = g_new0(RateChart, 1);

	chart->by_label = g_hash_table_new(keyed_hash_text, g_str_equal);
	chart->caches = g_ptr_array_new_with_free_func((GDestroyNotify)cache_free);
	return chart;
}

void rate_chart_free(RateChart *chart)
{
	if (!chart)
		return;
	g_hash_table_unref(chart->by_label);
	g_ptr_array_unref(chart->caches);
	cache_free(chart->later);
	g_free(chart);
}

static ChartCache *cache_of(RateChart *chart, const RateRow *row)
{
	ChartCache *cache = g_hash_table_lookup(chart->by_label, row->label);

	if (cache)
		return cache;
	if (chart->caches->len == CACHES_MAX) {
		if (!chart->later)
			chart->later = g_new0(ChartCache, 1);
		return chart->later;
	}
	cache = g_new0(ChartCache, 1);
	cache->label = g_strdup(row->label);
	cache->name = g_strdup(row->name);
	g_hash_table_insert(chart->by_label, cache->label, cache);
	g_ptr_array_add(chart->caches, cache);
	return cache;
}

/* Adds what another cache did in the same part of the run. */
static void add_beside(RatePoint *sum, const RatePoint *added)
{
	saturate_add(&sum->allocations, added->allocations);
	saturate_add(&sum->bytes_allocated, added->bytes_allocated);
	saturate_add(&sum->objects_held, added->objects_held);
	saturate_add(&sum->bytes_held, added->bytes_held);
}

/* What is held is a reading: that of the later part remains. */
static void halve_points(RatePoint points[RATE_CHART_POINTS])
{
	static const RatePoint nothing;

	for (guint i = 0; i < RATE_CHART_POINTS; i += 2) {
		RatePoint sum = points[i];
		const RatePoint *later = &points[i + 1];

		saturate_add(&sum.allocations, later->allocations);
		saturate_add(&sum.bytes_allocated, later->bytes_allocated);
		sum.objects_held = later->objects_held;
		sum.bytes_held = later->bytes_held;
		points[i / 2] = sum;
	}
	for (guint i = RATE_CHART_POINTS / 2; i < RATE_CHART_POINTS; i++)
		points[i] = nothing;
}

static void rate_chart_halve(RateChart *chart)
{
	for (guint i = 0; i < chart->caches->len; i++)
		halve_points(((ChartCache *)chart->caches->pdata[i])->points);
	if (chart->later)
		halve_points(chart->later->points);
	for (guint i = 0; i <= RATE_CHART_POINTS; i += 2)
		chart->starts_ns[i / 2] = chart->starts_ns[i];
	chart->points = RATE_CHART_POINTS / 2;
}

bool rate_chart_take(RateChart *chart, const RateTable *table)
{
	bool is_full = chart->points == RATE_CHART_POINTS;

	g_assert(chart->points <= G_N_ELEMENTS(chart->starts_ns));
	if (is_full)
		rate_chart_halve(chart);
	chart->has_held |= !(table->sum.lacks & NEEDS_HELD);
	for (guint i = 0; i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);

		const RatePoint point = {
			.allocations = row->sums.summary.allocations,
			.bytes_allocated = row->sums.summary.bytes_allocated,
			.objects_held = row->live.held,
			.bytes_held = row->live.held_bytes,
		};

		add_beside(&cache_of(chart, row)->points[chart->points], &point);
	}
	chart->starts_ns[chart->points++] = table->start_ns;
	chart->starts_ns[chart->points] = table->end_ns;
	return is_full;
}

guint rate_chart_points(const RateChart *chart)
{
	return chart->points;
}

uint64_t rate_chart_start_ns(const RateChart *chart, guint point)
{
	g_assert(point < G_N_ELEMENTS(chart->starts_ns));
	return chart->starts_ns[point] - chart->starts_ns[0];
}

bool rate_chart_has_held(const RateChart *chart)
{
	return chart->has_held;
}

/* What a cache did in the whole run, and the most that it held. */
static RatePoint whole_run(const RateChart *chart, const ChartCache *cache)
{
	RatePoint whole = { 0 };

	for (guint i = 0; i < chart->points; i++) {
		const RatePoint *point = &cache->points[i];

		saturate_add(&whole.allocations, point->allocations);
		saturate_add(&whole.bytes_allocated, point->bytes_allocated);
		whole.objects_held = MAX(whole.objects_held, point->objects_held);
		whole.bytes_held = MAX(whole.bytes_held, point->bytes_held);
	}
	return whole;
}

static double rate_chart_share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

/* Returns the largest share that a cache has of any figure: each figure has a picture. */
static double largest_share(const RatePoint *cache, const RatePoint *sum)
{
	double of_allocated = MAX(rate_chart_share(cache->allocations, sum->allocations),
				  rate_chart_share(cache->bytes_allocated, sum->bytes_allocated));
	double of_held = MAX(rate_chart_share(cache->objects_held, sum->objects_held),
			     rate_chart_share(cache->bytes_held, sum->bytes_held));

	return MAX(of_allocated, of_held);
}

static gint compare_caches(gconstpointer left, gconstpointer right)
{
	const ChartCache *const *a = left, *const *b = right;

	if ((*a)->weight != (*b)->weight)
		return (*a)->weight < (*b)->weight ? 1 : -1;
	return g_strcmp0((*a)->label, (*b)->label);
}

static bool is_wanted(const ChartCache *cache, const CacheQuery *query)
{
	return !query || (cache->name && cache_query_wants(query, cache->name));
}

/* Adds a cache to those that have no series of their own. */
static void add_other(RateChart *chart, const ChartCache *cache)
{
	for (guint i = 0; i < chart->points; i++)
		add_beside(&chart->others[i], &cache->points[i]);
}

static void rate_chart_rank(RateChart *chart)
{
	RatePoint sum = { 0 };

	for (guint i = 0; i < chart->caches->len; i++) {
		const RatePoint whole = whole_run(chart, chart->caches->pdata[i]);

		add_beside(&sum, &whole);
	}
	for (guint i = 0; i < chart->caches->len; i++) {
		ChartCache *cache = chart->caches->pdata[i];
		const RatePoint whole = whole_run(chart, cache);

		cache->weight = largest_share(&whole, &sum);
	}
	g_ptr_array_sort(chart->caches, compare_caches);
}

GArray *rate_chart_series(RateChart *chart, const CacheQuery *query, guint series_max)
{
	GArray *series = g_array_new(FALSE, FALSE, sizeof(RateSeries));
	bool has_others = false;

	memset(chart->others, 0, sizeof(chart->others));
	rate_chart_rank(chart);
	for (guint i = 0; i < chart->caches->len; i++) {
		const ChartCache *cache = chart->caches->pdata[i];
		const RateSeries one = { cache->label, cache->points };

		if (!is_wanted(cache, query))
			continue;
		if (series->len < series_max) {
			g_array_append_val(series, one);
			continue;
		}
		add_other(chart, cache);
		has_others = true;
	}
	/* Their names are not known. */
	if (chart->later && !query) {
		add_other(chart, chart->later);
		has_others = true;
	}
	if (has_others) {
		const RateSeries others = { NULL, chart->others };

		g_array_append_val(series, others);
	}
	return series;
}

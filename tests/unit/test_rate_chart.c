/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rates/rate_chart.h"

#include <criterion/criterion.h>

enum { NS = 1000000, CACHES = 5 };

static const char *const names[CACHES] = { "dentry", "filp", "kmalloc-64", "skbuff", "inode" };

/* Adds the part number `number` of a run: cache i allocates i + 1 objects of 100 bytes, and holds
   (i + 1) * (number + 1). */
static bool take_part(RateChart *chart, guint number, bool held)
{
	GArray *rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	RateTable table = {
		.start_ns = (1000 + (uint64_t)number) * NS,
		.end_ns = (1001 + (uint64_t)number) * NS,
		.rows = rows,
		.sum.lacks = held ? 0 : NEEDS_HELD,
	};
	bool halved;

	for (guint i = 0; i < CACHES; i++) {
		RateRow row = { .label = names[i], .name = names[i] };

		row.sums.summary.allocations = i + 1;
		row.sums.summary.bytes_allocated = (i + 1) * 100;
		row.live.held = (i + 1) * (number + 1);
		row.live.held_bytes = row.live.held * 100;
		g_array_append_val(rows, row);
	}
	halved = rate_chart_take(chart, &table);
	g_array_unref(rows);
	return halved;
}

static guint take_parts(RateChart *chart, guint parts, bool held)
{
	guint halved = 0;

	for (guint i = 0; i < parts; i++)
		halved += take_part(chart, i, held);
	return halved;
}

static uint64_t allocations_of(const RateSeries *series, guint points)
{
	uint64_t sum = 0;

	for (guint i = 0; i < points; i++)
		sum += series->points[i].allocations;
	return sum;
}

Test(rate_chart, a_long_run_has_few_points_and_all_allocations)
{
	enum { PARTS = 3 * RATE_CHART_POINTS + 7 };
	g_autoptr(RateChart) chart = rate_chart_new();
	g_autoptr(GArray) series = NULL;
	guint points;

	cr_assert_gt(take_parts(chart, PARTS, true), 1);
	points = rate_chart_points(chart);
	cr_assert_leq(points, RATE_CHART_POINTS);
	series = rate_chart_series(chart, NULL, CACHES);
	cr_assert_eq(series->len, CACHES);
	for (guint i = 0; i < CACHES; i++) {
		const RateSeries *one = &g_array_index(series, RateSeries, i);

		cr_assert_str_eq(one->label, names[CACHES - 1 - i]);
		cr_assert_eq(allocations_of(one, points), (CACHES - i) * PARTS);
		cr_assert_eq(one->points[points - 1].objects_held, (CACHES - i) * PARTS);
	}
}

Test(rate_chart, its_points_cover_the_run_without_gaps)
{
	g_autoptr(RateChart) chart = rate_chart_new();

	take_parts(chart, 2 * RATE_CHART_POINTS, false);
	cr_assert_eq(rate_chart_start_ns(chart, 0), 0);
	for (guint i = 0; i < rate_chart_points(chart); i++)
		cr_assert_lt(rate_chart_start_ns(chart, i), rate_chart_start_ns(chart, i + 1));
	cr_assert_eq(rate_chart_start_ns(chart, rate_chart_points(chart)),
		     2ULL * RATE_CHART_POINTS * NS);
}

Test(rate_chart, what_is_held_is_that_at_the_end_of_a_point)
{
	g_autoptr(RateChart) chart = rate_chart_new();
	g_autoptr(GArray) series = NULL;

	take_parts(chart, RATE_CHART_POINTS + 1, true);
	series = rate_chart_series(chart, NULL, 1);
	/* Two parts are the first point, and the second of them held twice as much. */
	cr_assert_eq(g_array_index(series, RateSeries, 0).points[0].objects_held, 2ULL * CACHES);
}

Test(rate_chart, small_caches_are_shown_together)
{
	g_autoptr(RateChart) chart = rate_chart_new();
	g_autoptr(GArray) series = NULL;
	const RateSeries *others;

	take_parts(chart, 10, false);
	series = rate_chart_series(chart, NULL, 2);
	cr_assert_eq(series->len, 3);
	others = &g_array_index(series, RateSeries, 2);
	cr_assert_null(others->label);
	cr_assert_eq(allocations_of(others, 10), (1 + 2 + 3) * 10);
}

Test(rate_chart, a_cache_of_many_small_objects_is_shown)
{
	static const struct {
		const char *name;
		uint64_t allocations, bytes;
	} caches[] = { { "large", 1, 1000000 }, { "medium", 1, 500000 }, { "tiny", 1000, 8000 } };
	g_autoptr(RateChart) chart = rate_chart_new();
	g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	g_autoptr(GArray) series = NULL;
	RateTable table = { .end_ns = NS, .rows = rows, .sum.lacks = NEEDS_HELD };

	for (guint i = 0; i < G_N_ELEMENTS(caches); i++) {
		RateRow row = { .label = caches[i].name, .name = caches[i].name };

		row.sums.summary.allocations = caches[i].allocations;
		row.sums.summary.bytes_allocated = caches[i].bytes;
		g_array_append_val(rows, row);
	}
	rate_chart_take(chart, &table);
	series = rate_chart_series(chart, NULL, 2);
	cr_assert_str_eq(g_array_index(series, RateSeries, 0).label, "tiny");
	cr_assert_str_eq(g_array_index(series, RateSeries, 1).label, "large");
	cr_assert_null(g_array_index(series, RateSeries, 2).label);
}

Test(rate_chart, only_the_requested_caches_are_shown)
{
	g_autoptr(RateChart) chart = rate_chart_new();
	g_autoptr(CacheQuery) query = cache_query_new("dentry,inode", NULL);
	g_autoptr(CacheList) list = cache_list_new(NULL, NULL);
	g_autoptr(GArray) series = NULL;

	cr_assert(cache_query_resolve(query, list, NULL, NULL));
	take_parts(chart, 10, false);
	series = rate_chart_series(chart, query, 1);
	cr_assert_eq(series->len, 2);
	cr_assert_str_eq(g_array_index(series, RateSeries, 0).label, "inode");
	cr_assert_eq(allocations_of(&g_array_index(series, RateSeries, 1), 10), 10);
}

/* Adds a part of a run in which each of many caches allocates once and holds 1 object. */
static void take_many(RateChart *chart, guint number, guint caches)
{
	g_autoptr(GStringChunk) labels = g_string_chunk_new(4096);
	g_autoptr(GArray) rows = g_array_new(FALSE, TRUE, sizeof(RateRow));
	const RateTable table = {
		.start_ns = (1000 + (uint64_t)number) * NS,
		.end_ns = (1001 + (uint64_t)number) * NS,
		.rows = rows,
	};

	for (guint i = 0; i < caches; i++) {
		g_autofree char *name = g_strdup_printf("cache-%05u", i);
		RateRow row = { .live = { .held = 1 } };

		row.label = row.name = g_string_chunk_insert(labels, name);
		row.sums.summary.allocations = 1;
		g_array_append_val(rows, row);
	}
	rate_chart_take(chart, &table);
}

Test(rate_chart, more_caches_than_have_room_are_among_the_others)
{
	enum { MANY = 5000, PARTS = RATE_CHART_POINTS + 1, POINTS = RATE_CHART_POINTS / 2 + 1 };
	g_autoptr(RateChart) chart = rate_chart_new();
	g_autoptr(GArray) series = NULL;
	const RateSeries *others;

	for (guint i = 0; i < PARTS; i++)
		take_many(chart, i, MANY);
	series = rate_chart_series(chart, NULL, 7);
	cr_assert_eq(series->len, 8);
	others = &g_array_index(series, RateSeries, 7);
	cr_assert_eq(rate_chart_points(chart), POINTS);
	cr_assert_eq(allocations_of(others, POINTS), (MANY - 7) * PARTS);
	cr_assert_eq(others->points[POINTS - 1].objects_held, MANY - 7);
}

Test(rate_chart, of_more_caches_than_have_room_the_later_ones_have_no_name)
{
	g_autoptr(RateChart) chart = rate_chart_new();
	g_autoptr(CacheQuery) query = cache_query_new("cache-00999,cache-01000", NULL);
	g_autoptr(CacheList) list = cache_list_new(NULL, NULL);
	g_autoptr(GArray) series = NULL;

	cr_assert(cache_query_resolve(query, list, NULL, NULL));
	take_many(chart, 0, 1001);
	series = rate_chart_series(chart, query, 7);
	cr_assert_eq(series->len, 1);
	cr_assert_str_eq(g_array_index(series, RateSeries, 0).label, "cache-00999");
}

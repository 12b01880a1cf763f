/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads what a watch saw as series over time: each reading that is shown is parsed as those of the
 * overview are, and its rows are added to the series of their names. model.c has it made for pages.
 */
#include "report/watch_charts.h"

#include "base/keyed_hash.h"
#include "names/host_state.h"
#include "names/slabinfo.h"
#include "record/format.h"
#include "report/slab_readings.h"

#include <math.h>
#include <stdlib.h>

/* While readings are visited. */
typedef struct {
	WatchCharts *charts;
	GHashTable *by_name[WATCH_CHARTS]; /* (element-type utf8, WatchSeries), borrowed */
	uint64_t page_bytes;
	guint readings; /* that have not been visited yet */
	guint step;     /* one of so many is shown, and the last */
} Reading;

static void watch_series_free(void *data)
{
	WatchSeries *series = data;

	g_free(series->name);
	g_array_unref(series->values);
	g_free(series);
}

enum { NAMES_MAX = 2000 }; /* of a chart; recordings may have any number */

/* Returns NULL if there are too many. */
static WatchSeries *series_of(Reading *reading, int chart, const char *name)
{
	WatchSeries *series = g_hash_table_lookup(reading->by_name[chart], name);

	if (series || reading->charts->charts[chart].series->len >= NAMES_MAX)
		return series;
	series = g_new0(WatchSeries, 1);
	series->name = g_strdup(name);
	series->values = g_array_new(FALSE, FALSE, sizeof(double));
	g_ptr_array_add(reading->charts->charts[chart].series, series);
	g_hash_table_insert(reading->by_name[chart], series->name, series);
	return series;
}

static void fill_up(WatchSeries *series, guint count)
{
	const double unknown = NAN;

	while (series->values->len < count)
		g_array_append_val(series->values, unknown);
}

/* Adds a value at the last time; those before are unknown if the name is new. */
static void add_value(Reading *reading, int chart, const char *name, uint64_t bytes)
{
	WatchSeries *series = series_of(reading, chart, name);
	guint place = reading->charts->times->len - 1;
	double value = (double)bytes;

	if (!series)
		return;
	fill_up(series, place);
	if (series->values->len == place)
		g_array_append_val(series->values, value);
}

static void add_caches(Reading *reading, const Slabinfo *slabs)
{
	for (guint i = 0; i < slabinfo_count(slabs); i++) {
		const SlabinfoCache *cache = slabinfo_at(slabs, i);

		add_value(reading, WATCH_CACHES, cache->name, cache->slab_bytes);
	}
}

static void add_rows(Reading *reading, const SlabTable *slabs)
{
	g_autoptr(Table) balance = balance_table_new(slabs, TABLE_PAGE);
	g_autoptr(Table) cgroups = cgroup_table_new(slabs, TABLE_PAGE);

	for (guint i = 0; i < balance->count; i++) {
		const BalanceRow *row = &g_array_index(balance->rows, BalanceRow, i);

		add_value(reading, WATCH_BALANCE, row->title, row->bytes);
	}
	for (guint i = 0; i < cgroups->count; i++) {
		const CgroupRow *row = &g_array_index(cgroups->rows, CgroupRow, i);

		add_value(reading, WATCH_CGROUPS, row->cgroup->path, row->own_bytes);
	}
}

static void add_reading(Reading *reading, const HistoryLines *state)
{
	g_autoptr(GString) memory = history_lines_text(state, KMT_BATCH_MEMORY);
	g_autoptr(GString) slabinfo = history_lines_text(state, KMT_BATCH_SLABINFO);
	g_autoptr(GString) cgroup = history_lines_text(state, KMT_BATCH_CGROUP_MEMORY);
	g_autoptr(CgroupReading) cgroups = cgroup ? cgroup_reading_new(cgroup) : NULL;
	Slabinfo *slabs = slabinfo_new(slabinfo, reading->page_bytes);
	HostState host = host_state_parse(memory);
	const SlabTable table = {
		.memory = { host, host, 0 },
		.cgroups = { .start = cgroups, .end = cgroups },
		.rows_max = UINT32_MAX,
		.cpus = 1,
	};

	add_caches(reading, slabs);
	add_rows(reading, &table);
	slabinfo_free(slabs);
}

/* A HistoryVisitor. */
static void take_reading(const HistoryTime *time, const HistoryLines *changes,
			 const HistoryLines *state, void *user_data)
{
	Reading *reading = user_data;

	(void)changes;
	if (--reading->readings % reading->step)
		return;
	g_array_append_val(reading->charts->times, *time);
	add_reading(reading, state);
}

static double largest_of(const WatchSeries *series)
{
	double largest = 0;

	for (guint i = 0; i < series->values->len; i++)
		largest = fmax(largest, g_array_index(series->values, double, i));
	return largest;
}

/* Above its least value. */
static double growth_of(const WatchSeries *series)
{
	double least = INFINITY;

	for (guint i = 0; i < series->values->len; i++)
		least = fmin(least, g_array_index(series->values, double, i));
	return largest_of(series) - least;
}

static int compare(double of_a, double of_b)
{
	return (of_a < of_b) - (of_a > of_b);
}

static int compare_sizes(const void *a, const void *b)
{
	return compare(largest_of(*(WatchSeries *const *)a), largest_of(*(WatchSeries *const *)b));
}

static int compare_growth(const void *a, const void *b)
{
	return compare(growth_of(*(WatchSeries *const *)a), growth_of(*(WatchSeries *const *)b));
}

/* Keeps the largest, and of the others those that grew most. */
static void choose_series(GPtrArray *series, guint times)
{
	for (guint i = 0; i < series->len; i++)
		fill_up(series->pdata[i], times);
	g_ptr_array_sort(series, compare_sizes);
	if (series->len > WATCH_SERIES)
		qsort(series->pdata + WATCH_SERIES, series->len - WATCH_SERIES, sizeof(gpointer),
		      compare_growth);
	g_ptr_array_set_size(series, (gint)MIN(series->len, 2 * WATCH_SERIES));
}

WatchCharts *watch_charts_new(const WatchLog *log, uint64_t page_bytes)
{
	static const char *const names[WATCH_CHARTS] = {
		[WATCH_BALANCE] = "Memory",
		[WATCH_CACHES] = "Slab caches",
		[WATCH_CGROUPS] = "Kernel memory of cgroups",
	};
	WatchCharts *charts = g_new0(WatchCharts, 1);
	Reading reading = { .charts = charts, .page_bytes = page_bytes };

	reading.readings = watch_log_span(log).readings;
	reading.step = 1 + reading.readings / WATCH_POINTS;
	charts->times = g_array_new(FALSE, FALSE, sizeof(HistoryTime));
	for (int i = 0; i < WATCH_CHARTS; i++) {
		charts->charts[i].name = names[i];
		charts->charts[i].series = g_ptr_array_new_with_free_func(watch_series_free);
		reading.by_name[i] = g_hash_table_new(keyed_hash_text, g_str_equal);
	}
	watch_log_visit(log, take_reading, &reading);
	for (int i = 0; i < WATCH_CHARTS; i++) {
		g_hash_table_unref(reading.by_name[i]);
		choose_series(charts->charts[i].series, charts->times->len);
	}
	return charts;
}

void watch_charts_free(WatchCharts *charts)
{
	if (!charts)
		return;
	for (int i = 0; i < WATCH_CHARTS; i++)
		g_ptr_array_unref(charts->charts[i].series);
	g_array_unref(charts->times);
	g_free(charts);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables in the data of the page: a comparison, the run and a watch over time, an array for each
 * column, with stacks and labels as numbers of names; memory, caches and cgroups, an object for
 * each row. page_data.c calls it.
 */
#include "render/picture/page_data.h"

#include "base/clock.h"
#include "render/data/render_data.h"
#include "render/picture/page_plain.h"
#include "report/report_table.h"
#include "symbols/frame_line.h"

#include <stddef.h>

/* Writes the figures of all rows, and what they say. */
static void write_columns(JsonWriter *json, Table *table)
{
	for (guint i = 0; i < table->columns->len; i++) {
		const TableColumn *column = table_column(table, i);

		if (column->is_key)
			continue;
		json_open(json, column->id, '[');
		for (guint row = 0; row < table->count; row++) {
			const Value value = table_cell(table, column, row);

			json_value(json, NULL, column->type, &value);
		}
		json_close(json, ']');
	}
}

/* Writes the names of all functions, one stack after the other, and how many each has. */
static void write_stacks(JsonWriter *json, Table *table, const TableColumn *column,
			 PageNames *names)
{
	g_autoptr(GString) name = g_string_new(NULL);
	g_autofree uint64_t *depths = g_new(uint64_t, table->count);

	json_open(json, "names", '[');
	for (guint row = 0; row < table->count; row++) {
		const Value stack = table_cell(table, column, row);
		uint32_t count;
		const FrameId *ids = stack_rows_frames(stack.of, (uint32_t)stack.number, &count);

		for (uint32_t frame = 0; frame < count; frame++) {
			Frame one = stack_rows_frame(stack.of, ids[frame]);

			g_string_truncate(name, 0);
			frame_line_append_name(name, &one);
			json_count(json, NULL, page_names_add(names, name->str));
		}
		depths[row] = count;
	}
	json_close(json, ']');
	json_counts(json, "depths", depths, table->count);
}

static void write_keys(JsonWriter *json, Table *table, PageNames *names)
{
	for (guint i = 0; i < table->columns->len; i++)
		if (table_column(table, i)->type == VALUE_FRAMES)
			write_stacks(json, table, table_column(table, i), names);
	json_open(json, "keys", '{');
	for (guint i = 0; i < table->columns->len; i++) {
		const TableColumn *column = table_column(table, i);

		if (column->type != VALUE_LABEL)
			continue;
		json_open(json, column->id, '[');
		for (guint row = 0; row < table->count; row++)
			json_count(json, NULL,
				   page_names_add(names, table_cell(table, column, row).text));
		json_close(json, ']');
	}
	json_close(json, '}');
}

void page_diff_write(JsonWriter *json, const ReportModel *model, PageNames *names)
{
	const DiffRows *diff = model->diff;
	const DiffFigures all = diff_row_figures(diff, &diff->of_all, diff->rank);
	g_autoptr(Table) table = report_table_new(model, TABLE_PAGE);
	g_auto(GStrv) lines = page_lines(model->older);

	json_open(json, "diff", '{');
	json_text(json, "member", diff->rank->member);
	json_text(json, "per", diff_units[diff_rows_per(diff, diff->rank)].words);
	json_write_rows_compared(json, diff);
	json_open(json, "old_lines", '[');
	for (char **line = lines; *line; line++)
		json_text(json, NULL, *line);
	json_close(json, ']');
	json_write_recorded_differently(json, model);
	json_open(json, "all", '{');
	for (gsize i = 0; i < DIFF_FIGURES; i++)
		json_exact(json, diff_figures[i].name, diff_figure(&all, diff_figures[i].at));
	json_exact(json, "change_percent", all.percent);
	json_text(json, "what", diff_change_names[all.what]);
	json_close(json, '}');
	write_columns(json, table);
	write_keys(json, table, names);
	json_close(json, '}');
}

static const struct {
	const char *name;
	size_t at; /* in a RatePoint */
	bool of_held;
} chart_columns[] = {
	{ "allocations", MEMBER_AT(uint64_t, RatePoint, allocations), false },
	{ "bytes_allocated", MEMBER_AT(uint64_t, RatePoint, bytes_allocated), false },
	{ "objects_held", MEMBER_AT(uint64_t, RatePoint, objects_held), true },
	{ "bytes_held", MEMBER_AT(uint64_t, RatePoint, bytes_held), true },
};

static void write_series(JsonWriter *json, const RateSeries *series, const RateChart *chart)
{
	json_open(json, NULL, '{');
	json_text(json, "cache", series->label);
	for (gsize i = 0; i < G_N_ELEMENTS(chart_columns); i++) {
		if (chart_columns[i].of_held && !rate_chart_has_held(chart))
			continue;
		json_open(json, chart_columns[i].name, '[');
		for (guint point = 0; point < rate_chart_points(chart); point++)
			json_count(json, NULL,
				   figure_number_at(&series->points[point], chart_columns[i].at));
		json_close(json, ']');
	}
	json_close(json, '}');
}

void json_write_chart(JsonWriter *json, const GArray *series, const RateChart *chart)
{
	json_open(json, "chart", '{');
	json_open(json, "times_seconds", '[');
	for (guint i = 0; i <= rate_chart_points(chart); i++)
		json_micros(json, NULL, rate_chart_start_ns(chart, i));
	json_close(json, ']');
	json_open(json, "series", '[');
	for (guint i = 0; i < series->len; i++)
		write_series(json, &g_array_index(series, RateSeries, i), chart);
	json_close(json, ']');
	json_close(json, '}');
}

static void write_rows(JsonWriter *json, const char *name, Table *table)
{
	json_open(json, name, '[');
	for (guint row = 0; row < table->count; row++) {
		json_open(json, NULL, '{');
		json_write_row(json, table, row);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void write_cgroups(JsonWriter *json, const SlabTable *slabs)
{
	g_autoptr(Table) table = cgroup_table_new(slabs, TABLE_JSON);
	const CgroupReading *end = slabs->cgroups.end;

	if (end) {
		json_count_if(json, "dying", end->totals.is_dying_known, end->totals.dying);
		json_text(json, "dying_below", cgroup_of_most_dying(end));
	}
	write_rows(json, "cgroups", table);
}

void page_overview_write(JsonWriter *json, const SlabTable *slabs)
{
	g_autoptr(Table) balance = balance_table_new(slabs, TABLE_PAGE);
	g_autoptr(Table) caches = table_new(slabs, NULL);
	SlabTable all = *slabs;

	/* A page has room for what a terminal leaves out. */
	if (all.rows_max == SLAB_TABLE_ROWS)
		all.rows_max = UINT32_MAX;
	slab_table_add(caches, &all, SLABS_KEPT | SLABS_RECLAIMABLE, TABLE_JSON);
	write_rows(json, "balance", balance);
	write_rows(json, "caches", caches);
	write_cgroups(json, slabs);
}

static void write_watch_series(JsonWriter *json, const WatchSeries *series)
{
	json_open(json, NULL, '{');
	json_text(json, "name", series->name);
	json_open(json, "values", '[');
	for (guint i = 0; i < series->values->len; i++)
		json_decimals(json, NULL, g_array_index(series->values, double, i), 0);
	json_close(json, ']');
	json_close(json, '}');
}

/* Seconds are those since the first reading. */
static void write_watch_times(JsonWriter *json, const GArray *times)
{
	const HistoryTime *first = &g_array_index(times, HistoryTime, 0);
	const HistoryTime *last = &g_array_index(times, HistoryTime, times->len - 1);
	uint64_t length_ns = last->at_ns - first->at_ns;

	json_count_if(json, "start", last->realtime_ns > length_ns,
		      (last->realtime_ns - MIN(length_ns, last->realtime_ns)) / NS_PER_SECOND);
	json_open(json, "times_seconds", '[');
	for (guint i = 0; i < times->len; i++)
		json_decimals(json, NULL,
			      (double)(g_array_index(times, HistoryTime, i).at_ns - first->at_ns) /
				      NS_PER_SECOND,
			      0);
	json_close(json, ']');
}

void page_watch_write(JsonWriter *json, const WatchCharts *watch)
{
	json_open(json, "charts", '[');
	for (int i = 0; watch->times->len > 1 && i < WATCH_CHARTS; i++) {
		const WatchChart *chart = &watch->charts[i];

		if (!chart->series->len)
			continue;
		json_open(json, NULL, '{');
		json_text(json, "name", chart->name);
		json_text(json, "unit", "bytes");
		json_flag(json, "shows_growth", true);
		write_watch_times(json, watch->times);
		json_open(json, "series", '[');
		for (guint j = 0; j < chart->series->len; j++)
			write_watch_series(json, chart->series->pdata[j]);
		json_close(json, ']');
		json_close(json, '}');
	}
	json_close(json, ']');
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The chart of a run as JSON: a const table of columns, one array for each. For the page.
 * page_data.c calls it.
 */
#include "render/picture/page_data.h"

#include <stddef.h>

static const struct {
	const char *name;
	size_t at; /* in a RatePoint */
	bool of_held;
} columns[] = {
	{ "allocations", MEMBER_AT(uint64_t, RatePoint, allocations), false },
	{ "bytes_allocated", MEMBER_AT(uint64_t, RatePoint, bytes_allocated), false },
	{ "objects_held", MEMBER_AT(uint64_t, RatePoint, objects_held), true },
	{ "bytes_held", MEMBER_AT(uint64_t, RatePoint, bytes_held), true },
};

static void write_series(JsonWriter *json, const RateSeries *series, const RateChart *chart)
{
	json_open(json, NULL, '{');
	json_text(json, "cache", series->label);
	for (gsize i = 0; i < G_N_ELEMENTS(columns); i++) {
		if (columns[i].of_held && !rate_chart_has_held(chart))
			continue;
		json_open(json, columns[i].name, '[');
		for (guint point = 0; point < rate_chart_points(chart); point++)
			json_count(json, NULL,
				   figure_number_at(&series->points[point], columns[i].at));
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

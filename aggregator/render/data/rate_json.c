/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of an interval as JSON. Columns come from table/metric.c; two texts have members of
 * their own.
 */
#include "render/data/render_json.h"

#include "rates/rate_net.h"

/* In percent; below 0: unknown. */
static void write_percent(JsonWriter *json, const char *name, double percent, int decimals)
{
	if (percent >= 0)
		json_decimals(json, name, percent, decimals);
	else
		json_null(json, name);
}

static void write_cache(JsonWriter *json, const RateRow *row)
{
	json_text(json, "cache", row->name);
	json_flag(json, "cache_by_size", row->by_size);
}

static void write_busiest(JsonWriter *json, const RateRow *row)
{
	json_text(json, "busiest_process", row->busiest_name);
	write_percent(json, "busiest_process_percent",
		      row->busiest_name ? row->busiest_percent : -1, 1);
}

/* Texts with several facts become several members. */
static const struct {
	MetricId column;
	void (*write)(JsonWriter *json, const RateRow *row);
} texts[] = {
	{ METRIC_CACHE, write_cache },
	{ METRIC_BUSIEST, write_busiest },
};

static void write_texts(JsonWriter *json, const Metric *column, const RateRow *row)
{
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		if (column == &metrics[texts[i].column])
			texts[i].write(json, row);
}

static void write_cell(JsonWriter *json, const Metric *column, const RateRow *row, uint64_t span_ns)
{
	g_autofree char *name = NULL;
	int64_t number;

	if (column->type == VALUE_TEXT) {
		write_texts(json, column, row);
		return;
	}
	name = g_strconcat(column->member, span_ns && !column->instant ? "_per_second" : "", NULL);
	if (rate_row_number(row, column, span_ns, &number))
		json_signed(json, name, number);
	else
		json_null(json, name);
}

/* In percent of the estimates; 0: exact. */
static void write_margins(JsonWriter *json, const RateRow *row)
{
	static const MetricId figures[] = { METRIC_ALLOCATIONS, METRIC_BYTES_ALLOCATED };

	for (gsize i = 0; i < G_N_ELEMENTS(figures); i++) {
		const Metric *metric = &metrics[figures[i]];
		g_autofree char *name = g_strconcat(metric->member, "_margin_percent", NULL);

		if (metric_is_known(metric, row->lacks))
			json_decimals(json, name, metric_margin(metric, &row->sums), 3);
		else
			json_null(json, name);
	}
	if (metric_is_known(&metrics[METRIC_HELD], row->lacks))
		json_decimals(json, "objects_held_margin_percent",
			      margin_percent(row->live.held_variance, row->live.held), 3);
}

static void write_row(JsonWriter *json, const char *name, const RateTable *table,
		      const RateRow *row, const RateLayout *layout)
{
	uint64_t span_ns = layout->per_second ? table->end_ns - table->start_ns : 0;

	json_open(json, name, '{');
	for (guint i = 0; layout->columns[i]; i++)
		write_cell(json, layout->columns[i], row, span_ns);
	if (rate_net_is_shown(layout->columns) && rate_net_word(row->net_state))
		json_text(json, "net_unknown", rate_net_word(row->net_state));
	if (table->sampling_period > 1)
		write_margins(json, row);
	json_close(json, '}');
}

/* Writes whether frees of what is held may not be seen. */
static void write_held(JsonWriter *json, const RateTable *table, const Facts *facts)
{
	if (table->sum.lacks & NEEDS_HELD)
		return;
	json_text(json, fact_kinds[FACT_FREES_NOT_SEEN].id, fact_text(facts, FACT_FREES_NOT_SEEN));
	if (table->held_compared)
		json_write_held_compared(json, table->held_compared);
}

static void write_fact(JsonWriter *json, const Facts *facts, FactId id)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	json_value(json, fact_kinds[id].id, fact_kinds[id].type, &facts->values[id]);
}

static void write_head(JsonWriter *json, const RateTable *table, const Facts *facts)
{
	json_count(json, "interval", table->number);
	if (table->realtime_ns) {
		json_micros(json, "time", table->realtime_ns);
		json_time(json, "end_time", table->realtime_ns);
	} else {
		json_null(json, "time");
		json_null(json, "end_time");
	}
	json_count(json, "start_ns", table->start_ns);
	json_seconds(json, "seconds", table->end_ns - table->start_ns);
	json_text(json, "loadavg", table->load_average);
	json_text(json, "covered", fact_text(facts, FACT_COVERED));
	json_text(json, "not_covered", fact_text(facts, FACT_NOT_COVERED));
	json_flag(json, "partial", table->partial);
	json_count(json, "events_lost", table->events_lost.low);
	json_count(json, "events_lost_max", table->events_lost.high);
	json_count(json, "sampling_period", table->sampling_period);
	write_percent(json, "cost_percent", table->cost_percent, 3);
	write_fact(json, facts, FACT_WALKS_COMPARED);
	write_fact(json, facts, FACT_WALKS_DIFFERENT);
	write_fact(json, facts, FACT_NAMES_COMPARED);
	write_fact(json, facts, FACT_NAMES_DIFFERENT);
	json_count(json, "caches", table->rows->len);
}

void json_write_interval(JsonWriter *json, const RateTable *table, const Facts *facts,
			 const RateLayout *layout)
{
	guint shown = (guint)MIN(table->rows->len, layout->rows_max);

	write_head(json, table, facts);
	json_open(json, "rows", '[');
	for (guint i = 0; i < shown; i++)
		write_row(json, NULL, table, &g_array_index(table->rows, RateRow, i), layout);
	json_close(json, ']');
	write_row(json, "sum", table, &table->sum, layout);
	if (rate_net_is_shown(layout->columns))
		json_count(json, "net_caches_left_out", table->net_unknown);
	write_held(json, table, facts);
}

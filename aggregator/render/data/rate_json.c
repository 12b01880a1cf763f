/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of an interval as JSON. Its columns come from report_table.c.
 */
#include "render/data/render_json.h"

#include "rates/rate_net.h"
#include "report/report_table.h"

static void write_fact(JsonWriter *json, const Facts *facts, FactId id)
{
	g_assert(id < G_N_ELEMENTS(facts->values));
	json_value(json, fact_kinds[id].id, fact_kinds[id].type, &facts->values[id]);
}

static void write_head(JsonWriter *json, const RateTable *table, const Facts *facts)
{
	const Value cost = { .known = table->cost_percent >= 0,
			     .real = table->cost_percent,
			     .other = 3 };

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
	json_value(json, "cost_percent", VALUE_ROUNDED, &cost);
	write_fact(json, facts, FACT_WALKS_COMPARED);
	write_fact(json, facts, FACT_WALKS_DIFFERENT);
	write_fact(json, facts, FACT_NAMES_COMPARED);
	write_fact(json, facts, FACT_NAMES_DIFFERENT);
	json_count(json, "caches", table->rows->len);
}

void json_write_interval(JsonWriter *json, const IntervalSource *interval, const Facts *facts,
			 FILE *out)
{
	const RateTable *rates = interval->table;
	g_autoptr(Table) table = interval_table_new(interval, TABLE_JSON);

	write_head(json, rates, facts);
	json_write_rows(json, "rows", table, out);
	json_open(json, "sum", '{');
	json_write_row(json, table, TABLE_ALL);
	json_close(json, '}');
	if (rate_net_is_shown(interval->layout->columns))
		json_count(json, "net_caches_left_out", rates->net_unknown);
	if (rates->sum.lacks & NEEDS_HELD)
		return;
	/* Frees of what is held may not be seen. */
	write_fact(json, facts, FACT_FREES_NOT_SEEN);
	if (rates->held_compared)
		json_write_held_compared(json, rates->held_compared);
}

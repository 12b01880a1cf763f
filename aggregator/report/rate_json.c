/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/rate_json.h"

#include "rank/rate_net.h"

enum { NS_PER_S = 1000000000, NS_PER_US = 1000 };

/* Appends a text as JSON has it, "null" for NULL. It is UTF-8. */
static void append_text(GString *out, const char *text)
{
	if (!text) {
		g_string_append(out, "null");
		return;
	}
	g_string_append_c(out, '"');
	for (; *text; text = g_utf8_next_char(text)) {
		gunichar character = g_utf8_get_char(text);

		if (character == '"' || character == '\\')
			g_string_append_printf(out, "\\%c", *text);
		else if (g_unichar_iscntrl(character))
			g_string_append_printf(out, "\\u%04x", character);
		else
			g_string_append_unichar(out, character);
	}
	g_string_append_c(out, '"');
}

static void append_member(GString *out, const char *name, const char *text)
{
	g_string_append_printf(out, ",\"%s\":", name);
	append_text(out, text);
}

/* A number as every locale writes it in JSON. */
static void append_number(GString *out, const char *name, double number, const char *format)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];

	g_string_append_printf(out, ",\"%s\":%s", name,
			       g_ascii_formatd(text, sizeof(text), format, number));
}

static void append_cache(GString *out, const RateRow *row)
{
	g_string_append(out, "\"cache\":");
	append_text(out, row->name);
	g_string_append_printf(out, ",\"cache_by_size\":%s", row->by_size ? "true" : "false");
}

static void append_busiest(GString *out, const RateRow *row)
{
	g_string_append(out, "\"busiest_process\":");
	append_text(out, row->busiest_name);
	if (row->busiest_name)
		append_number(out, "busiest_process_percent", row->busiest_percent, "%.1f");
	else
		g_string_append(out, ",\"busiest_process_percent\":null");
}

/* A text that has several facts is several members. */
static const struct {
	const char *column;
	void (*append)(GString *out, const RateRow *row);
} texts[] = {
	{ "cache", append_cache },
	{ "procs", append_busiest },
};

static void append_texts(GString *out, const RateColumn *column, const RateRow *row)
{
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		if (g_str_equal(column->name, texts[i].column))
			texts[i].append(out, row);
}

static void append_cell(GString *out, const RateColumn *column, const RateRow *row,
			uint64_t span_ns)
{
	int64_t number;

	if (column->text) {
		append_texts(out, column, row);
		return;
	}
	g_string_append_printf(out, "\"%s%s\":", column->member,
			       span_ns && !column->instant ? "_per_second" : "");
	if (rate_column_number(column, row, span_ns, &number))
		g_string_append_printf(out, "%" G_GINT64_FORMAT, number);
	else
		g_string_append(out, "null");
}

/* In percent of the estimates; 0: exact. */
static void append_margins(GString *out, const RateRow *row)
{
	append_number(out, "allocations_margin_percent",
		      margin_percent(row->variance.allocations, row->allocations), "%.3f");
	append_number(out, "bytes_allocated_margin_percent",
		      margin_percent(row->variance.bytes_allocated, row->bytes_allocated), "%.3f");
}

static void append_row(GString *out, const RateTable *table, const RateRow *row,
		       const RateLayout *layout)
{
	uint64_t span_ns = layout->per_second ? table->end_ns - table->start_ns : 0;

	g_string_append_c(out, '{');
	for (guint i = 0; layout->columns[i]; i++) {
		if (i)
			g_string_append_c(out, ',');
		append_cell(out, layout->columns[i], row, span_ns);
	}
	if (rate_net_is_shown(layout->columns) && rate_net_word(row->net_state))
		append_member(out, "net_unknown", rate_net_word(row->net_state));
	if (table->sampling_period > 1)
		append_margins(out, row);
	g_string_append_c(out, '}');
}

static void append_interval(GString *out, const RateTable *table, const RunInfo *info)
{
	g_string_append_printf(out, "{\"interval\":%" G_GUINT64_FORMAT, table->number);
	if (table->realtime_ns)
		g_string_append_printf(out, ",\"time\":%" G_GUINT64_FORMAT ".%06u",
				       table->realtime_ns / NS_PER_S,
				       (unsigned)(table->realtime_ns % NS_PER_S / NS_PER_US));
	else
		g_string_append(out, ",\"time\":null");
	g_string_append_printf(out, ",\"start_ns\":%" G_GUINT64_FORMAT, table->start_ns);
	append_number(out, "seconds", (double)(table->end_ns - table->start_ns) / NS_PER_S, "%.9f");
	append_member(out, "loadavg", table->load_average);
	append_member(out, "covered", run_info_text(info, KMT_FIELD_COVERED));
	append_member(out, "not_covered", run_info_text(info, KMT_FIELD_NOT_COVERED));
	g_string_append_printf(out, ",\"partial\":%s,\"events_lost\":%" G_GUINT64_FORMAT,
			       table->partial ? "true" : "false", table->events_lost.low);
	g_string_append_printf(out, ",\"events_lost_max\":%" G_GUINT64_FORMAT,
			       table->events_lost.high);
	g_string_append_printf(out, ",\"sampling_period\":%u", table->sampling_period);
	if (table->cost_percent >= 0)
		append_number(out, "cost_percent", table->cost_percent, "%.3f");
	else
		g_string_append(out, ",\"cost_percent\":null");
	g_string_append_printf(out, ",\"caches\":%u", table->rows->len);
}

void rate_json_append(GString *out, const RateTable *table, const RunInfo *info,
		      const RateLayout *layout)
{
	guint shown = (guint)MIN(table->rows->len, layout->rows_max);

	append_interval(out, table, info);
	g_string_append(out, ",\"rows\":[");
	for (guint i = 0; i < shown; i++) {
		if (i)
			g_string_append_c(out, ',');
		append_row(out, table, &g_array_index(table->rows, RateRow, i), layout);
	}
	g_string_append(out, "],\"sum\":");
	append_row(out, table, &table->sum, layout);
	if (rate_net_is_shown(layout->columns))
		g_string_append_printf(out, ",\"net_caches_left_out\":%u", table->net_unknown);
	g_string_append(out, "}\n");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/rate_text.h"

#include "escape.h"
#include "rank/rate_net.h"

enum { NS_PER_S = 1000000000, NAME_WIDTH_MIN = 8 };

void rate_text_append_head(GString *out, const RunInfo *info, const RateLayout *layout)
{
	const char *covered = run_info_text(info, KMT_FIELD_COVERED);
	const char *not_covered = run_info_text(info, KMT_FIELD_NOT_COVERED);

	g_string_append_printf(out, "Allocated in intervals of %g s%s, not memory in use.\n",
			       layout->interval_s, layout->per_second ? ", per second" : "");
	g_string_append(out, "Covered: ");
	escape_append(out, covered ? covered : "not known");
	if (not_covered) {
		g_string_append(out, "; not covered: ");
		escape_append(out, not_covered);
	}
	g_string_append(out, "\n\n");
}

static void append_time_line(GString *out, const RateTable *table)
{
	g_autoptr(GDateTime) time =
		table->realtime_ns
			? g_date_time_new_from_unix_local((gint64)(table->realtime_ns / NS_PER_S))
			: NULL;
	g_autofree char *text = time ? g_date_time_format(time, "%H:%M:%S") : NULL;

	g_string_append_printf(out, "%s loadavg: %s\n\n", text ? text : "--:--:--",
			       table->load_average ? table->load_average : "not recorded");
}

static void append_spaces(GString *out, glong count)
{
	for (; count > 0; count--)
		g_string_append_c(out, ' ');
}

/* Cuts a text, and says so, where it is longer than that: 0: it never is. */
static void append_cut(GString *out, const char *text, glong width)
{
	if (!width || g_utf8_strlen(text, -1) <= width) {
		g_string_append(out, text);
		return;
	}
	g_string_append_len(out, text, g_utf8_offset_to_pointer(text, width - 1) - text);
	g_string_append_c(out, '>');
}

/* Returns how wide the cells of a column are, at least. */
static glong column_width(const RateColumn *column, const RateLayout *layout)
{
	g_autoptr(GString) title = g_string_new(NULL);

	rate_column_append_title(title, column, layout->per_second);
	return MAX(column->width, (glong)title->len);
}

/* A cell of a line: width_max 0: it is never cut. */
typedef struct {
	const RateColumn *column;
	const char *text;
	glong width;
	glong width_max;
	bool last;
} Cell;

/* Texts on the left, numbers on the right; nothing follows the last one. */
static void append_cell(GString *out, const Cell *wanted)
{
	g_autoptr(GString) cell = g_string_new(NULL);
	glong padding;

	append_cut(cell, wanted->text, wanted->width_max);
	padding = wanted->width - g_utf8_strlen(cell->str, -1);
	if (!wanted->column->text)
		append_spaces(out, padding);
	g_string_append(out, cell->str);
	if (wanted->column->text && !wanted->last)
		append_spaces(out, padding);
}

/* Returns how wide a name may be in a terminal: what the other columns leave; 0: any. */
static glong name_width(const RateLayout *layout)
{
	glong others = 0;

	if (!layout->width)
		return 0;
	for (guint i = 1; layout->columns[i]; i++)
		others += column_width(layout->columns[i], layout) + 1;
	return MAX((glong)layout->width - others, NAME_WIDTH_MIN);
}

/* Appends a line; row NULL: that of the titles. */
static void append_line(GString *out, const RateRow *row, const RateLayout *layout,
			uint64_t span_ns)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; layout->columns[i]; i++) {
		const RateColumn *column = layout->columns[i];

		g_string_truncate(text, 0);
		if (row)
			rate_column_append(text, column, row, span_ns);
		else
			rate_column_append_title(text, column, layout->per_second);
		if (i)
			g_string_append_c(out, ' ');
		append_cell(out, &(Cell){
					 .column = column,
					 .text = text->str,
					 .width = column_width(column, layout),
					 .width_max = i ? 0 : name_width(layout),
					 .last = !layout->columns[i + 1],
				 });
	}
	g_string_append_c(out, '\n');
}

static void append_sum(GString *out, const RateTable *table, const RateLayout *layout,
		       uint64_t span_ns)
{
	g_autofree char *label = g_strdup_printf("(all %u caches)", table->rows->len);
	RateRow sum = table->sum;

	if (table->rows->len > 1)
		sum.label = label;
	append_line(out, &sum, layout, span_ns);
}

static void append_lost(GString *out, const RateTable *table, const RateLayout *layout)
{
	double seconds = (double)(table->end_ns - table->start_ns) / NS_PER_S;

	g_string_append_printf(out, "lost: %" G_GUINT64_FORMAT, table->events_lost.low);
	if (table->events_lost.high > table->events_lost.low)
		g_string_append_printf(out, " to %" G_GUINT64_FORMAT, table->events_lost.high);
	if (table->sampling_period > 1)
		g_string_append_printf(out, "; sampled up to 1/%u, scaled up",
				       table->sampling_period);
	if (seconds < layout->interval_s - 0.0005)
		g_string_append_printf(out, "; %.3f s only", seconds);
	if (table->partial)
		g_string_append(out,
				"; partial: a CPU was late, its events count in the next interval");
	g_string_append(out, "\n\n");
}

void rate_text_append(GString *out, const RateTable *table, const RateLayout *layout)
{
	uint64_t span_ns = layout->per_second ? table->end_ns - table->start_ns : 0;
	guint shown = (guint)MIN(table->rows->len, layout->rows_max);

	append_time_line(out, table);
	append_line(out, NULL, layout, 0);
	for (guint i = 0; i < shown; i++)
		append_line(out, &g_array_index(table->rows, RateRow, i), layout, span_ns);
	append_sum(out, table, layout, span_ns);
	if (rate_net_is_shown(layout->columns))
		rate_net_append_reasons(out, table, "\n");
	append_lost(out, table, layout);
}

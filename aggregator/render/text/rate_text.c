/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of an interval as text: cells, then widths, then lines. Columns come from
 * table/metric.c.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "report/held_check.h"
#include "rates/rate_net.h"

enum { NS_PER_S = 1000000000, NAME_WIDTH_MIN = 8 };

static bool shows_held(const RateLayout *layout)
{
	for (guint i = 0; layout->columns[i]; i++)
		if (layout->columns[i]->needs & NEEDS_HELD)
			return true;
	return false;
}

void rate_text_append_head(GString *out, const Facts *facts, const RateLayout *layout)
{
	const char *covered = fact_text(facts, FACT_COVERED);
	const char *not_covered = fact_text(facts, FACT_NOT_COVERED);

	g_string_append_printf(out, "Allocated in intervals of %g s%s, not memory in use.\n",
			       layout->interval_s, layout->per_second ? ", per second" : "");
	if (shows_held(layout)) {
		g_string_append_printf(out,
				       "Held: allocated since the start, not %sfreed at the end of "
				       "the interval.\n",
				       fact_text(facts, FACT_FREES_NOT_SEEN) ? "seen " : "");
		append_fact_line(out, facts, FACT_FREES_NOT_SEEN);
	}
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

/* Cuts a text that is wider than width, and marks the cut. Width 0: no limit. */
static void append_cut(GString *out, const char *text, glong width)
{
	if (!width || g_utf8_strlen(text, -1) <= width) {
		g_string_append(out, text);
		return;
	}
	g_string_append_len(out, text, g_utf8_offset_to_pointer(text, width - 1) - text);
	g_string_append_c(out, '>');
}

/* A table and its layout: columns are as wide as their content. */
typedef struct {
	const RateTable *table;
	const RateLayout *layout;
	guint shown; /* rows */
	RateRow sum;
	RateNumbers numbers;
	const Metric *columns[RATE_COLUMNS_MAX + 1]; /* ended by NULL */
	glong widths[RATE_COLUMNS_MAX];
} Sheet;

/* Appends a cell; row NULL: the title. */
static void append_text(GString *out, const Sheet *sheet, const Metric *column, const RateRow *row)
{
	if (row)
		rate_row_append(out, row, column, &sheet->numbers);
	else
		rate_column_append_title(out, column, sheet->layout->per_second);
}

static glong text_width(const Sheet *sheet, const Metric *column, const RateRow *row)
{
	g_autoptr(GString) text = g_string_new(NULL);

	append_text(text, sheet, column, row);
	return g_utf8_strlen(text->str, -1);
}

/* The width of a text column does not depend on its content: a long name shifts only its own
   line. */
static glong column_width(const Sheet *sheet, const Metric *column)
{
	glong width = MAX(column->width, text_width(sheet, column, NULL));

	if (column->type == VALUE_TEXT)
		return width;
	for (guint i = 0; i < sheet->shown; i++)
		width = MAX(width, text_width(sheet, column,
					      &g_array_index(sheet->table->rows, RateRow, i)));
	return MAX(width, text_width(sheet, column, &sheet->sum));
}

/* A cell of a line; width_max 0: never cut. */
typedef struct {
	const Metric *column;
	const char *text;
	glong width;
	glong width_max;
	bool last;
} Cell;

/* Text is left-aligned, numbers are right-aligned; the last cell has no padding after it. */
static void append_cell(GString *out, const Cell *wanted)
{
	g_autoptr(GString) cell = g_string_new(NULL);
	bool is_text = wanted->column->type == VALUE_TEXT;
	glong padding;

	append_cut(cell, wanted->text, wanted->width_max);
	padding = wanted->width - g_utf8_strlen(cell->str, -1);
	if (!is_text)
		append_spaces(out, padding);
	g_string_append(out, cell->str);
	if (is_text && !wanted->last)
		append_spaces(out, padding);
}

/* Returns the maximum width of a name in a terminal, after the other columns; 0: no limit. */
static glong name_width(const Sheet *sheet)
{
	glong others = 0;

	if (!sheet->layout->width)
		return 0;
	for (guint i = 1; sheet->columns[i]; i++)
		others += sheet->widths[i] + 1;
	return MAX((glong)sheet->layout->width - others, NAME_WIDTH_MIN);
}

/* Appends a line; row NULL: the titles. */
static void append_line(GString *out, const Sheet *sheet, const RateRow *row)
{
	const Metric *const *columns = sheet->columns;
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; columns[i]; i++) {
		g_string_truncate(text, 0);
		append_text(text, sheet, columns[i], row);
		if (i)
			g_string_append_c(out, ' ');
		append_cell(out, &(Cell){
					 .column = columns[i],
					 .text = text->str,
					 .width = sheet->widths[i],
					 .width_max = i ? 0 : name_width(sheet),
					 .last = !columns[i + 1],
				 });
	}
	g_string_append_c(out, '\n');
}

static void append_rows(GString *out, const RateTable *table, const RateLayout *layout)
{
	g_autofree char *label = g_strdup_printf("(all %u caches)", table->rows->len);
	Sheet sheet = {
		.table = table,
		.layout = layout,
		.shown = (guint)MIN(table->rows->len, layout->rows_max),
		.sum = table->sum,
		.numbers = {
			.span_ns = layout->per_second ? table->end_ns - table->start_ns : 0,
			.human = layout->human,
		},
	};

	if (table->rows->len > 1)
		sheet.sum.label = label;
	rate_columns_choose(sheet.columns, layout->columns, table->sampling_period > 1);
	for (guint i = 0; sheet.columns[i]; i++)
		sheet.widths[i] = column_width(&sheet, sheet.columns[i]);
	append_line(out, &sheet, NULL);
	for (guint i = 0; i < sheet.shown; i++)
		append_line(out, &sheet, &g_array_index(table->rows, RateRow, i));
	append_line(out, &sheet, &sheet.sum);
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
	if (table->walks_different)
		g_string_append_printf(out, "; stack walks that differ: %" G_GUINT64_FORMAT,
				       table->walks_different);
	if (table->names_different)
		g_string_append_printf(out, "; cache names that differ: %" G_GUINT64_FORMAT,
				       table->names_different);
	if (seconds < layout->interval_s - 0.0005)
		g_string_append_printf(out, "; %.3f s only", seconds);
	if (table->partial)
		g_string_append(out,
				"; partial: a CPU was late, its events count in the next interval");
	g_string_append(out, "\n\n");
}

/* Appends "Not paired: maple_node, filp (too many frees not seen): left out". */
static void append_left_out(GString *out, const RateTable *table)
{
	const char *separator = "Not paired: ";

	for (guint i = 0; i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);

		if (!(row->lacks & NEEDS_HELD))
			continue;
		g_string_append_printf(out, "%s%s", separator, row->label);
		separator = ", ";
	}
	if (*separator == ',')
		g_string_append(out, " (too many frees not seen): left out\n");
}

/* Nothing is said of a run whose frees are all seen, as far as anybody knows. */
static void append_held_doubt(GString *out, const RateTable *table, const Facts *facts)
{
	const GArray *rows = table->held_compared;
	bool misses_frees = fact_text(facts, FACT_FREES_NOT_SEEN) || held_check_fails(rows);

	for (guint i = 0; rows && i < rows->len; i++)
		misses_frees |= g_array_index(rows, HeldCheckRow, i).misses_frees;
	if (misses_frees)
		append_held_compared(out, rows);
	append_left_out(out, table);
}

void rate_text_append(GString *out, const RateTable *table, const Facts *facts,
		      const RateLayout *layout)
{
	append_time_line(out, table);
	append_rows(out, table, layout);
	if (rate_net_is_shown(layout->columns))
		rate_net_append_reasons(out, table, "\n");
	if (shows_held(layout) && !(table->sum.lacks & NEEDS_HELD))
		append_held_doubt(out, table, facts);
	append_lost(out, table, layout);
}

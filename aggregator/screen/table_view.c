/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The view of all caches: chosen columns, widths, sparklines, rows. Pure functions of the state.
 * views.c calls it to draw, keys.c to find the selected row.
 */
#include "screen/table_view.h"

#include "screen/page.h"
#include "screen/history.h"

#include <string.h>

enum {
	NAME_MIN = 16,
	NAME_USUAL = 24,
	GAP = 1,       /* before a column */
	SPARK_GAP = 2, /* before the sparkline */
	SPARK_MIN = 10,
	SPARK_USUAL = 20,
	SPARK_LEVELS = 8,
};

enum { NS_PER_S = 1000000000 };

unsigned layout_cell(const Metric *column, bool per_second)
{
	g_autoptr(GString) title = g_string_new("*");

	rate_column_append_title(title, column, per_second);
	return MAX((unsigned)column->width, (unsigned)title->len);
}

Layout layout_for(const Metric *const *columns, unsigned longest, unsigned width, bool per_second)
{
	Layout layout = { .columns = 1 };
	unsigned taken = 0, room, wanted;

	for (; columns[layout.columns]; layout.columns++) {
		unsigned more = GAP + layout_cell(columns[layout.columns], per_second);

		if (taken + more + NAME_MIN > width)
			break;
		taken += more;
	}
	room = width > taken ? width - taken : 0;
	/* A name is more important than a sparkline, up to a bound: a longer name is cut if the
	   sparkline would have no room. */
	wanted = CLAMP(longest, NAME_USUAL, MAX(room, NAME_USUAL));
	if (room >= NAME_USUAL + SPARK_GAP + SPARK_USUAL)
		wanted = MIN(wanted, room - SPARK_GAP - SPARK_USUAL);
	layout.name = MIN(wanted, room);
	if (room >= layout.name + SPARK_GAP + SPARK_MIN)
		layout.sparkline = MIN(room - layout.name - SPARK_GAP, HISTORY_INTERVALS);
	return layout;
}

static const char *const bars[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
static const char *const ascii_bars[] = { " ", "_", ".", "-", "=", "+", "*", "%", "#" };

G_STATIC_ASSERT(G_N_ELEMENTS(bars) == SPARK_LEVELS + 1);
G_STATIC_ASSERT(G_N_ELEMENTS(ascii_bars) == SPARK_LEVELS + 1);

void sparkline_append(GString *out, const double *values, unsigned count, bool utf8)
{
	double largest = 0;

	for (unsigned i = 0; i < count; i++)
		largest = MAX(largest, values[i]);
	for (unsigned i = 0; i < count; i++) {
		unsigned level = 0;

		if (values[i] > 0)
			level = CLAMP((unsigned)(values[i] / largest * SPARK_LEVELS + 0.5), 1,
				      SPARK_LEVELS);
		g_string_append(out, utf8 ? bars[level] : ascii_bars[level]);
	}
}

GArray *table_view_rows(const ScreenState *state)
{
	const RateTable *table = state_table(state);
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(RateRow));
	unsigned rows_max = state->options->rows_max;

	for (guint i = 0; table && i < table->rows->len; i++) {
		const RateRow *row = &g_array_index(table->rows, RateRow, i);

		if (!state->filter || strcasestr(row->label, state->filter))
			g_array_append_vals(rows, row, 1);
	}
	rate_rows_sort(rows, state->sort);
	if (rows_max && rows->len > rows_max)
		g_array_set_size(rows, rows_max);
	return rows;
}

guint table_view_selected(const ScreenState *state, const GArray *rows)
{
	for (guint i = 0; state->table_label && i < rows->len; i++)
		if (g_str_equal(g_array_index(rows, RateRow, i).label, state->table_label))
			return i;
	return rows->len ? MIN(state->table_row, rows->len - 1) : 0;
}

/* Numbers of one interval may be shown per second; sums never are. */
static bool is_per_second(const ScreenState *state)
{
	return state->options->per_second && !state->is_cumulative;
}

/* Chooses the columns, with the margin if there are estimates. */
static void columns_of(const ScreenState *state, const Metric *columns[RATE_COLUMNS_MAX + 1])
{
	const RateTable *table = state_table(state);

	rate_columns_choose(columns, state->options->columns, table && table->sampling_period > 1);
}

static void append_cell(GString *line, const ScreenState *state, const Metric *column,
			const char *text)
{
	g_string_append_c(line, ' ');
	(column->type == VALUE_TEXT ? fit_left : fit_number)(
		line, text, layout_cell(column, is_per_second(state)), state->utf8);
}

static void add_titles(const ScreenState *state, const Layout *layout, unsigned width, Page *page)
{
	const Metric *columns[RATE_COLUMNS_MAX + 1];
	GString *line = g_string_new(NULL);

	columns_of(state, columns);
	for (unsigned i = 0; i < layout->columns; i++) {
		/* The sort column is marked. */
		g_autoptr(GString) title = g_string_new(columns[i] == state->sort ? "*" : NULL);

		rate_column_append_title(title, columns[i], is_per_second(state));
		if (i)
			append_cell(line, state, columns[i], title->str);
		else
			fit_left(line, title->str, layout->name, state->utf8);
	}
	if (layout->sparkline >= strlen("LAST 60 INTERVALS"))
		g_string_append_printf(line, "  LAST %u INTERVALS", layout->sparkline);
	fit_left(line, "", width > line->len ? width - (unsigned)line->len : 0, state->utf8);
	page_add(page->head, LOOK_TITLE, g_string_free(line, FALSE));
}

static char *row_line(const ScreenState *state, const Layout *layout, const RateRow *row)
{
	const Metric *columns[RATE_COLUMNS_MAX + 1];
	GString *line = g_string_new(NULL);
	const RateTable *table = state_table(state);
	const RateNumbers numbers = {
		.span_ns = is_per_second(state) ? table->end_ns - table->start_ns : 0,
		.human = !state->is_exact,
		.estimated = table->sampling_period > 1,
	};

	columns_of(state, columns);
	fit_left(line, row->label, layout->name, state->utf8);
	for (unsigned i = 1; i < layout->columns; i++) {
		g_autoptr(GString) text = g_string_new(NULL);

		rate_row_append(text, row, columns[i], &numbers);
		append_cell(line, state, columns[i], text->str);
	}
	return g_string_free(line, FALSE);
}

static void add_row(const ScreenState *state, const Layout *layout, const RateRow *row, Page *page)
{
	double rates[HISTORY_INTERVALS];
	g_autofree char *figures = row_line(state, layout, row);
	GString *line = g_string_new(figures);

	if (layout->sparkline) {
		history_get(state->shown_history ? state->shown_history : state->history,
			    row->label, rates, layout->sparkline);
		g_string_append(line, "  ");
		sparkline_append(line, rates, layout->sparkline, state->utf8);
	}
	page_add(page->body, LOOK_PLAIN, g_string_free(line, FALSE));
}

static void append_clock(GString *line, const RateTable *table)
{
	g_autoptr(GDateTime) time = NULL;
	g_autofree char *text = NULL;

	if (table->realtime_ns)
		time = g_date_time_new_from_unix_local((gint64)(table->realtime_ns / NS_PER_S));
	if (time)
		text = g_date_time_format(time, "%H:%M:%S");
	if (text)
		g_string_append_printf(line, "%s ", text);
}

/* Returns the heading: what the numbers cover, except those of memory in use. */
static char *table_view_heading(const ScreenState *state)
{
	const RateTable *table = state_table(state);
	GString *line = g_string_new(NULL);
	double seconds;

	if (state->is_paused)
		g_string_append(line, "PAUSED | ");
	if (!table) {
		g_string_append_printf(line, "%s: waiting for the first %g s",
				       state->options->program, state->interval_s);
		return g_string_free(line, FALSE);
	}
	if (state->filter)
		g_string_append_printf(line, "names with %s | ", state->filter);
	append_clock(line, table);
	if (table->load_average)
		g_string_append_printf(line, "loadavg: %s ", table->load_average);
	seconds = (double)(table->end_ns - table->start_ns) / 1e9;
	g_string_append_printf(line, "| allocated in %s%.*f s%s",
			       state->is_cumulative ? "all of " : "", seconds < 10 ? 1 : 0, seconds,
			       table->partial ? ", partial" : "");
	return g_string_free(line, FALSE);
}

void table_view_fill(const ScreenState *state, unsigned width, Page *page)
{
	const RateTable *table = state_table(state);
	g_autoptr(GArray) rows = table_view_rows(state);
	const Metric *columns[RATE_COLUMNS_MAX + 1];
	unsigned longest = 0;
	Layout layout;

	columns_of(state, columns);
	for (guint i = 0; i < rows->len; i++)
		longest = MAX(longest,
			      fit_columns(g_array_index(rows, RateRow, i).label, state->utf8));
	layout = layout_for(columns, longest, width, is_per_second(state));
	page_add(page->head, LOOK_PLAIN, table_view_heading(state));
	add_titles(state, &layout, width, page);
	for (guint i = 0; i < rows->len; i++)
		add_row(state, &layout, &g_array_index(rows, RateRow, i), page);
	if (rows->len)
		page->selected = (int)table_view_selected(state, rows);
	if (table)
		page_add(page->foot, LOOK_SUM, row_line(state, &layout, &table->sum));
}

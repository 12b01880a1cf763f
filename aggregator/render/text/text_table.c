/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of all tables: two passes, for the widths and for the lines. The report (--by), lists
 * of hits, comparisons, intervals and the overview of slab caches are printed here.
 */
#include "render/text/render_text.h"

#include "base/escape.h"
#include "base/number_text.h"
#include "report/report_table.h"

#include <string.h>

enum { LABEL_COLUMNS = 40 /* longer names are cut if columns follow */ };

#define TITLES (TABLE_OTHERS - 1)

typedef struct {
	Table *table;
	const TextLayout *layout;
	glong *widths; /* by column */
	glong *limits; /* by column: longer names are cut; 0: they are not */
	GString *cell; /* cell being built */
} Sheet;

glong text_width(const char *text)
{
	glong width = 0;

	for (; *text; text = g_utf8_find_next_char(text, NULL)) {
		gunichar character = (guchar)*text < 0x80 ? 'a' : g_utf8_get_char(text);

		width += character == 'a'                   ? 1
			 : g_unichar_iszerowidth(character) ? 0
							    : 1 + g_unichar_iswide(character);
	}
	return width;
}

/* Cuts what begins at start to so many columns. */
static void shorten(GString *text, gsize start, glong columns)
{
	char *cut = text->str + start;

	if (text_width(cut) <= columns)
		return;
	for (glong width = 0; width < columns - 3; cut = g_utf8_next_char(cut))
		width += 1 + g_unichar_iswide(g_utf8_get_char(cut));
	g_string_truncate(text, (gsize)(cut - text->str));
	g_string_append(text, "...");
}

static void append_value(GString *out, const TableColumn *column, const Value *value, bool human)
{
	switch (column->type) {
	case VALUE_TEXT:
		escape_append(out, value->text);
		break;
	case VALUE_LABEL:
		g_string_append(out, value->text);
		break;
	case VALUE_SHARE:
		append_percent(out, value->number, value->other);
		/* The title contains the sign. */
		g_string_truncate(out, out->len - strlen(" %"));
		break;
	case VALUE_PERCENT:
		append_margin(out, value->percent);
		break;
	case VALUE_CHANGE:
		append_change(out, value->real, human);
		break;
	case VALUE_TIME_SPAN:
		(column->is_short ? append_latency : append_seconds)(out, value->number);
		break;
	default:
		append_amount(out, value->number, human && column->type == VALUE_BYTES);
	}
}

static bool is_text(const TableColumn *column)
{
	return (column->type == VALUE_TEXT || column->type == VALUE_LABEL) && !column->is_right;
}

/* Makes the label of a sum, in place of the first key. */
static void make_label(Sheet *sheet, guint number, guint row)
{
	if (number && table_column(sheet->table, number - 1)->is_key)
		return;
	if (row == TABLE_ALL) {
		g_string_append(sheet->cell, sheet->layout->all);
		return;
	}
	g_string_append_c(sheet->cell, '(');
	append_number_of(sheet->cell, sheet->table->more, "other");
	g_string_append_c(sheet->cell, ')');
}

/* Makes the text of a cell. */
static void make_cell(Sheet *sheet, guint number, guint row)
{
	const TableColumn *column = table_column(sheet->table, number);
	const glong limit = sheet->limits[number];
	const TextLayout *layout = sheet->layout;
	bool titles_human = layout->human && column->title_human;
	Value value;

	g_string_truncate(sheet->cell, 0);
	if (row == TITLES) {
		g_string_append(sheet->cell, titles_human ? column->title_human : column->title);
		return;
	}
	if (column->is_key && row >= TABLE_OTHERS) {
		make_label(sheet, number, row);
		return;
	}
	value = table_cell(sheet->table, column, row);
	if (value.known)
		append_value(sheet->cell, column, &value, layout->human);
	else
		g_string_append(sheet->cell, column->blank ? column->blank : "-");
	/* A long list of names, or a path, would push the next columns off every line. */
	if (column->is_cut)
		shorten(sheet->cell, 0, LABEL_COLUMNS);
	if (limit)
		shorten(sheet->cell, 0, limit);
}

/* Whether the label of a sum stands behind its figures. */
static bool ends_with_label(const Sheet *sheet, guint row)
{
	return row >= TABLE_OTHERS &&
	       table_column(sheet->table, sheet->table->columns->len - 1)->is_key;
}

static void text_table_widen(Sheet *sheet, guint row, GString *out)
{
	(void)out;
	for (guint i = 0; i < sheet->table->columns->len; i++) {
		const TableColumn *column = table_column(sheet->table, i);

		/* The last label may be long; nothing follows it. */
		if ((column->is_key && ends_with_label(sheet, row)) ||
		    (column->is_fixed && row != TITLES) ||
		    (is_text(column) && i + 1 == sheet->table->columns->len))
			continue;
		make_cell(sheet, i, row);
		sheet->widths[i] = MAX(sheet->widths[i], text_width(sheet->cell->str));
	}
}

static void append_blanks(GString *out, glong count)
{
	static const char blanks[] =
		"                                                                ";

	for (; count > 0; count -= (glong)strlen(blanks))
		g_string_append_len(out, blanks, MIN(count, (glong)strlen(blanks)));
}

/* The later lines of a label are indented like the first one. */
static void append_lines(GString *out, const char *label, glong indentation)
{
	const char *end = strchr(label, '\n');

	for (; end && end[1]; end = strchr(label, '\n')) {
		g_string_append_len(out, label, end + 1 - label);
		append_blanks(out, indentation);
		label = end + 1;
	}
	g_string_append_len(out, label, end ? end - label : (gssize)strlen(label));
}

/* Cuts a name that leaves no room for the other columns of a terminal, and marks the cut. */
static void cut_name(const Sheet *sheet)
{
	enum { NAME_WIDTH_MIN = 8 };
	glong width = (glong)sheet->layout->terminal;
	GString *name = sheet->cell;

	if (!width)
		return;
	for (guint i = 1; i < sheet->table->columns->len; i++)
		width -= sheet->widths[i] + (glong)sheet->layout->gap;
	width = MAX(width, NAME_WIDTH_MIN);
	if (g_utf8_strlen(name->str, -1) <= width)
		return;
	g_string_truncate(name,
			  (gsize)(g_utf8_offset_to_pointer(name->str, width - 1) - name->str));
	g_string_append_c(name, '>');
}

/* Texts are at the left of their columns, figures at the right. */
static void append_cells(Sheet *sheet, guint row, GString *out)
{
	const guint last = sheet->table->columns->len - 1;
	glong indentation = 0;

	for (guint i = 0; i <= last; i++) {
		const TableColumn *column = table_column(sheet->table, i);
		bool is_last = i == last || (column->is_key && ends_with_label(sheet, row));
		glong blanks = 0;

		make_cell(sheet, i, row);
		if (!i)
			cut_name(sheet);
		if (!is_last || !is_text(column))
			blanks = MAX(sheet->widths[i] - text_width(sheet->cell->str), 0);
		if (!is_text(column))
			append_blanks(out, blanks);
		append_lines(out, sheet->cell->str, indentation);
		if (is_last)
			return;
		append_blanks(out, (glong)sheet->layout->gap + (is_text(column) ? blanks : 0));
		indentation += sheet->widths[i] + (glong)sheet->layout->gap;
	}
}

void flush_text(GString *text, FILE *out)
{
	fwrite(text->str, 1, text->len, out);
	g_string_truncate(text, 0);
}

static void append_row(Sheet *sheet, guint row, GString *out)
{
	const TextLayout *layout = sheet->layout;
	gsize start = out->len;

	append_cells(sheet, row, out);
	if (layout->columns)
		shorten(out, start, layout->columns);
	while (layout->trims && out->len && out->str[out->len - 1] == ' ')
		g_string_truncate(out, out->len - 1);
	g_string_append_c(out, '\n');
	if (layout->append_below && row < TITLES)
		layout->append_below(out, layout->model, row);
	if (layout->file)
		flush_text(out, layout->file);
}

static void each_row(Sheet *sheet, void (*what)(Sheet *sheet, guint row, GString *out),
		     GString *out)
{
	what(sheet, TITLES, out);
	for (guint row = 0; row < sheet->table->count; row++)
		what(sheet, row, out);
	if (sheet->layout->others && sheet->table->more)
		what(sheet, TABLE_OTHERS, out);
	if (sheet->layout->all)
		what(sheet, TABLE_ALL, out);
}

/* Which figures a narrow terminal leaves out, the first ones first. */
static const MetricId less_important[] = {
	METRIC_FREED_APART,
	METRIC_FREED_EARLY,
	METRIC_PEAK_BYTES,
	METRIC_WASTED_IN_RUN,
	METRIC_REQUESTED_IN_RUN,
	METRIC_BYTES_WASTED,
	METRIC_BYTES_REQUESTED,
	METRIC_BYTES_IN_RUN,
	METRIC_TIME_MAX,
	METRIC_FAILED,
	METRIC_FREED,
	METRIC_DOUBTFUL,
	METRIC_AGE,
	METRIC_ALLOCATED_IN_RUN,
	METRIC_SHARE,
	METRIC_MARGIN,
	METRIC_BYTES_ALLOCATED,
	METRIC_VALUE,
	METRIC_VALUE_BYTES,
	METRIC_TIME,
	METRIC_ALLOCATIONS,
};

static void keys_first(GArray *columns)
{
	for (guint i = 0, keys = 0; i < columns->len; i++) {
		TableColumn column = g_array_index(columns, TableColumn, i);

		if (!column.is_key)
			continue;
		column.is_cut = false;
		g_array_remove_index(columns, i);
		g_array_insert_val(columns, keys, column);
		keys++;
	}
}

static glong sheet_width(const Sheet *sheet, bool of_keys)
{
	glong width = 0;

	for (guint i = 0; i < sheet->table->columns->len; i++)
		if (!of_keys || table_column(sheet->table, i)->is_key)
			width += sheet->widths[i] + (glong)sheet->layout->gap;
	return width - (glong)sheet->layout->gap;
}

/* Cuts the longest names until the keys have so many columns. */
static void cut_keys(Sheet *sheet, glong columns)
{
	enum { KEY_MIN = 8 };

	while (sheet_width(sheet, true) > columns) {
		guint longest = 0;

		for (guint i = 1; i < sheet->table->columns->len; i++)
			if (table_column(sheet->table, i)->is_key &&
			    sheet->widths[i] > sheet->widths[longest])
				longest = i;
		if (sheet->widths[longest] <= KEY_MIN)
			return;
		sheet->limits[longest] = --sheet->widths[longest];
	}
}

static void leave_out(Sheet *sheet, const Metric *metric)
{
	GArray *columns = sheet->table->columns;

	for (guint i = 0; i < columns->len; i++) {
		if (table_column(sheet->table, i)->of != metric ||
		    metric_same_figure(metric, sheet->table->context.rank))
			continue;
		memmove(sheet->widths + i, sheet->widths + i + 1,
			(columns->len - i - 1) * sizeof(*sheet->widths));
		g_array_remove_index(columns, i);
		return;
	}
}

/* Names have half of a terminal, or what the important figures leave. */
static void fit_columns(Sheet *sheet)
{
	const glong width = (glong)sheet->layout->fits;

	cut_keys(sheet, width / 2);
	for (gsize i = 0; i < G_N_ELEMENTS(less_important) && sheet_width(sheet, false) > width;
	     i++)
		leave_out(sheet, &metrics[less_important[i]]);
}

void append_table(GString *out, Table *table, const TextLayout *layout)
{
	g_autofree glong *widths = g_new0(glong, table->columns->len + 1);
	g_autofree glong *limits = g_new0(glong, table->columns->len + 1);
	g_autoptr(GString) cell = g_string_new(NULL);
	Sheet sheet = { table, layout, widths, limits, cell };

	if (layout->fits)
		keys_first(table->columns);
	for (guint i = 0; i < table->columns->len; i++)
		widths[i] = table_column(table, i)->width;
	each_row(&sheet, text_table_widen, out);
	if (layout->fits)
		fit_columns(&sheet);
	each_row(&sheet, append_row, out);
}

Table *text_table_of_groups(const ReportModel *model)
{
	Table *table = report_table_new(model, TABLE_TEXT);

	for (guint i = 0; i < table->columns->len; i++) {
		TableColumn *column = &g_array_index(table->columns, TableColumn, i);

		if (column->of == &metrics[METRIC_ALLOCATIONS])
			column->title = counted_words(model)->column;
		/* "ALLOCATED" are the allocations of a run. */
		if (column->of == &metrics[METRIC_BYTES_ALLOCATED] && model->source->fits)
			column->title_human = "BYTES";
	}
	return table;
}

void text_print_groups(const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = text_table_of_groups(model);
	g_autoptr(GString) text = g_string_new(NULL);
	const TextLayout layout = {
		.gap = 2, .human = model->source->human, .others = true, .file = out
	};

	if (!table->count)
		return;
	append_table(text, table, &layout);
	fputc('\n', out);
}

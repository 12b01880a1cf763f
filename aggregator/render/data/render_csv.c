/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "csv": flat rows with quoted texts; what a spreadsheet would take for a formula is
 * escaped.
 */
#include "render/data/render_data.h"

#include "base/escape.h"
#include "base/unconst.h"
#include "render/data/json_writer.h"
#include "report/flat_rows.h"

#include <string.h>

/* Appends a text in quotes. Spreadsheets take what begins with one of these characters for a
   formula, and names of processes come from anybody: the first character becomes \xNN. */
static void append_quoted(GString *line, const char *text)
{
	g_string_append_c(line, '"');
	if (*text && strchr("=+-@", *text))
		g_string_append_printf(line, "\\x%02x", *text++);
	for (; *text; text++) {
		if (*text == '"')
			g_string_append_c(line, '"');
		g_string_append_c(line, *text);
	}
	g_string_append_c(line, '"');
}

static void append_text(GString *line, const char *text)
{
	g_autoptr(GString) printable = g_string_new(NULL);

	escape_hidden_append_len(printable, text, strlen(text));
	append_quoted(line, printable->str);
}

static void append_list(GString *line, char *const *list)
{
	g_autofree char *joined = g_strjoinv(";", unconst(list));

	append_text(line, joined);
}

/* Numbers look as in JSON. */
static void append_number(GString *line, ValueType type, const Value *value)
{
	JsonWriter number = { .out = line };

	json_value(&number, NULL, type, value);
}

static void append_cell(GString *line, ValueType type, const Value *value)
{
	if (!value->known)
		return;
	switch (type) {
	case VALUE_TEXT:
		append_text(line, value->text);
		break;
	case VALUE_LIST:
		append_list(line, value->list);
		break;
	default:
		append_number(line, type, value);
	}
}

static void write_line(FILE *out, GString *line)
{
	fprintf(out, "%s\r\n", line->str);
	g_string_truncate(line, 0);
}

static void write_titles(FILE *out, GString *line, const GArray *columns)
{
	for (guint i = 0; i < columns->len; i++)
		g_string_append_printf(line, "%s%s", i ? "," : "",
				       g_array_index(columns, FlatColumn, i).name);
	write_line(out, line);
}

static void write_row(FILE *out, GString *line, const GArray *columns, const Value *values)
{
	for (guint i = 0; i < columns->len; i++) {
		const FlatColumn *column = &g_array_index(columns, FlatColumn, i);

		if (i)
			g_string_append_c(line, ',');
		append_cell(line, column->type, &values[i]);
	}
	write_line(out, line);
}

void render_csv(const ReportModel *model, FILE *out)
{
	g_autoptr(FlatRows) rows = flat_rows_new(model);
	const GArray *columns = flat_rows_columns(rows);
	g_autoptr(GString) line = g_string_new(NULL);
	const Value *values;

	/* The intervals of a run are one table. */
	if (!model->interval || model->interval->is_first)
		write_titles(out, line, columns);
	while ((values = flat_rows_next(rows)))
		write_row(out, line, columns, values);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderers "csv" and "ndjson": the rows of a report, which report_table.c makes. ndjson has an
 * object for each row; csv quotes texts, and escapes what a spreadsheet would take for a formula.
 * renderers.c has both in its table.
 */
#include "render/data/render_data.h"

#include "base/escape.h"
#include "base/unconst.h"
#include "render/data/json_writer.h"
#include "report/report_table.h"

#include <string.h>

/* Appends a text in quotes. Spreadsheets take what begins with one of these characters for a
   formula, and names of processes come from anybody: the first character becomes \xNN. */
static void append_text(GString *line, const char *text)
{
	g_autoptr(GString) printable = g_string_new(NULL);
	const char *at;

	escape_hidden_append_len(printable, text, strlen(text));
	at = printable->str;
	g_string_append_c(line, '"');
	if (*at && strchr("=+-@", *at))
		g_string_append_printf(line, "\\x%02x", *at++);
	for (; *at; at++) {
		if (*at == '"')
			g_string_append_c(line, '"');
		g_string_append_c(line, *at);
	}
	g_string_append_c(line, '"');
}

/* Numbers look as in JSON. */
static void append_cell(GString *line, ValueType type, const Value *value)
{
	JsonWriter number = { .out = line };
	g_autofree char *joined = NULL;

	if (!value->known)
		return;
	switch (type) {
	case VALUE_TEXT:
	case VALUE_LABEL:
		append_text(line, value->text);
		break;
	case VALUE_LIST:
		joined = g_strjoinv(";", value->list);
		append_text(line, joined);
		break;
	default:
		json_value(&number, NULL, type, value);
	}
}

void render_csv(const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_FLAT);
	g_autoptr(GString) line = g_string_new(NULL);

	/* The intervals of a run are one table. */
	if (!model->interval || model->interval->is_first) {
		for (guint i = 0; i < table->columns->len; i++)
			fprintf(out, "%s%s", i ? "," : "", table_column(table, i)->id);
		fputs("\r\n", out);
	}
	for (guint row = 0; row < table->count; row++) {
		for (guint i = 0; i < table->columns->len; i++) {
			const TableColumn *column = table_column(table, i);
			const Value value = table_cell(table, column, row);

			if (i)
				g_string_append_c(line, ',');
			append_cell(line, column->type, &value);
		}
		fprintf(out, "%s\r\n", line->str);
		g_string_truncate(line, 0);
	}
}

void render_ndjson(const ReportModel *model, FILE *out)
{
	g_autoptr(Table) table = report_table_new(model, TABLE_FLAT);
	g_autoptr(GString) line = g_string_new(NULL);

	for (guint row = 0; row < table->count; row++) {
		JsonWriter json = { .out = line };

		g_string_truncate(line, 0);
		json_open(&json, NULL, '{');
		for (guint i = 0; i < table->columns->len; i++) {
			const TableColumn *column = table_column(table, i);
			const Value value = table_cell(table, column, row);

			json_value(&json, column->id, column->type, &value);
		}
		json_close(&json, '}');
		fprintf(out, "%s\n", line->str);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "ndjson": an object for each row of a report. renderers.c has it in its table;
 * report_table.c makes the rows.
 */
#include "render/data/render_data.h"

#include "render/data/json_writer.h"
#include "report/report_table.h"

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

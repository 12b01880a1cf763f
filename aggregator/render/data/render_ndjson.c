/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The renderer "ndjson": an object for each flat row. renderers.c has it in its table; flat_rows.c
 * makes the rows.
 */
#include "render/data/render_data.h"

#include "render/data/json_writer.h"
#include "report/flat_rows.h"

void render_ndjson(const ReportModel *model, FILE *out)
{
	g_autoptr(FlatRows) rows = flat_rows_new(model);
	const GArray *columns = flat_rows_columns(rows);
	g_autoptr(GString) line = g_string_new(NULL);
	const Value *values;

	while ((values = flat_rows_next(rows))) {
		JsonWriter json = { .out = line };

		g_string_truncate(line, 0);
		json_open(&json, NULL, '{');
		for (guint i = 0; i < columns->len; i++) {
			const FlatColumn *column = &g_array_index(columns, FlatColumn, i);

			json_value(&json, column->name, column->type, &values[i]);
		}
		json_close(&json, '}');
		fprintf(out, "%s\n", line->str);
	}
}

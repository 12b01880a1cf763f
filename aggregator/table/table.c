/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Columns and cells of all tables. Reports make tables (report/report_table.c, slab_readings.c),
 * all printers of rows read them.
 */
#include "table/table.h"

Table *table_new(const void *source, GArray *rows)
{
	Table *table = g_new0(Table, 1);

	table->source = source;
	table->rows = rows;
	table->count = rows ? rows->len : 0;
	table->columns = g_array_new(FALSE, FALSE, sizeof(TableColumn));
	table->text = g_string_new(NULL);
	table->owned = g_ptr_array_new_with_free_func(g_free);
	return table;
}

void table_free(Table *table)
{
	if (!table)
		return;
	g_array_unref(table->columns);
	g_clear_pointer(&table->rows, g_array_unref);
	g_string_free(table->text, TRUE);
	g_strfreev(table->list);
	g_ptr_array_unref(table->owned);
	g_free(table);
}

void table_add(Table *table, const TableColumn *columns, gsize count, TableUse use)
{
	for (gsize i = 0; i < count; i++)
		if (!columns[i].uses || columns[i].uses & use)
			g_array_append_val(table->columns, columns[i]);
}

static Value read_constant(Table *table, const TableColumn *column, guint row)
{
	(void)table;
	(void)row;
	return *(const Value *)column->of;
}

void table_add_constant(Table *table, const char *id, ValueType type, Value value)
{
	const TableColumn column = {
		.id = id,
		.type = type,
		.read = read_constant,
		.of = table_keep(table, &value, sizeof(value)),
	};

	g_array_append_val(table->columns, column);
}

void *table_keep(Table *table, const void *data, gsize bytes)
{
	void *kept = g_malloc(bytes);

	g_ptr_array_add(table->owned, memcpy(kept, data, bytes));
	return kept;
}

const char *table_printf(Table *table, const char *format, ...)
{
	char *text;
	va_list arguments;

	va_start(arguments, format);
	text = g_strdup_vprintf(format, arguments);
	va_end(arguments);
	g_ptr_array_add(table->owned, text);
	return text;
}

void table_cut(Table *table, uint64_t rows_max)
{
	if (table->count <= rows_max)
		return;
	table->more += table->count - rows_max;
	table->count = (guint)rows_max;
}

static Value read_member(const TableColumn *column, const void *at)
{
	switch (column->type) {
	case VALUE_TEXT:
	case VALUE_LABEL:
		return (Value){ .known = *(char *const *)at, .text = *(char *const *)at };
	case VALUE_FLAG:
		return (Value){ .known = true, .number = *(const bool *)at };
	case VALUE_REAL:
	case VALUE_ROUNDED:
	case VALUE_CHANGE:
		return (Value){ .known = true,
				.real = *(const double *)at,
				.other = column->decimals };
	default:
		return (Value){ .known = true, .number = *(const uint64_t *)at };
	}
}

Value table_cell(Table *table, const TableColumn *column, guint row)
{
	const char *members = table->all;

	g_string_truncate(table->text, 0);
	g_clear_pointer(&table->list, g_strfreev);
	if (column->read)
		return column->read(table, column, row);
	if (row != TABLE_ALL) {
		hot_assert(row < table->count);
		members = table->rows->data + row * g_array_get_element_size(table->rows);
	}
	if (column->known_at && !*(const bool *)(members + column->known_at))
		return (Value){ .known = false };
	return read_member(column, members + column->at);
}

Value table_text(const GString *text)
{
	return (Value){ .known = text->len > 0, .text = text->str };
}

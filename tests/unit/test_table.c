/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/data/render_data.h"
#include "render/text/render_text.h"
#include "table/table.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(table);

typedef struct {
	const char *name;
	uint64_t bytes;
	bool is_known;
	double change;
} Row;

static Value read_label(Table *table, const TableColumn *column, guint row)
{
	(void)column;
	g_string_append(table->text, row ? "a\nb" : "one");
	return table_text(table->text);
}

#define MEMBER(name, type, member) TABLE_MEMBER(name, type, Row, member)

static const TableColumn columns[] = {
	{ MEMBER("name", VALUE_TEXT, name), .title = "NAME" },
	{ MEMBER("bytes", VALUE_BYTES, bytes), .title = "BYTES",
	  .known_at = offsetof(Row, is_known) },
	{ MEMBER("change", VALUE_CHANGE, change), .title = "CHANGE", .is_optional = true },
	{ MEMBER("hidden", VALUE_BYTES, bytes), .uses = TABLE_JSON },
	{ .id = "label",
	  .title = "LABEL",
	  .type = VALUE_LABEL,
	  .is_key = true,
	  .read = read_label },
};

static Table *made(TableUse use)
{
	static const Row rows[] = {
		{ "x\x1b", 1000, true, -1.4 },
		{ NULL, 7, false, -0.4 },
		{ "third", 1, true, 0 },
	};
	static const Row sum = { "all", 1007, true, 2 };
	GArray *array = g_array_new(FALSE, FALSE, sizeof(Row));
	Table *table;

	g_array_append_vals(array, rows, G_N_ELEMENTS(rows));
	table = table_new(NULL, array);
	table->all = &sum;
	table_add(table, columns, G_N_ELEMENTS(columns), use);
	return table;
}

Test(table, text_has_its_columns_and_a_mark_for_what_is_unknown)
{
	g_autoptr(Table) table = made(TABLE_TEXT);
	g_autoptr(GString) out = g_string_new(NULL);

	table_cut(table, 2);
	append_table(out, table, &(TextLayout){ .gap = 1, .all = "(all)" });
	cr_expect(eq(str, out->str,
		     "NAME  BYTES CHANGE LABEL\n"
		     "x\\x1b 1,000     -1 one\n"
		     "-         -      0 a\n"
		     "                   b\n"
		     "all   1,007     +2 (all)\n"));
	cr_expect(eq(u64, table->more, 1));
}

Test(table, json_has_null_for_what_is_unknown_and_no_key_of_a_sum)
{
	g_autoptr(Table) table = made(TABLE_JSON);
	g_autoptr(GString) out = g_string_new(NULL);
	JsonWriter json = { .out = out };

	json_open(&json, NULL, '{');
	json_write_row(&json, table, 1);
	json_close(&json, '}');
	json_open(&json, NULL, '{');
	json_write_row(&json, table, TABLE_ALL);
	json_close(&json, '}');
	cr_expect(eq(
		str, out->str,
		"{\"name\":null,\"bytes\":null,\"change\":0,\"hidden\":7,\"label\":\"a\\\\x0ab\"},"
		"{\"name\":\"all\",\"bytes\":1007,\"change\":2,\"hidden\":1007}"));
}

Test(table, a_constant_is_the_same_in_all_rows_and_kept)
{
	g_autoptr(Table) table = made(TABLE_FLAT);
	const TableColumn *constant;

	table_add_constant(table, "run", VALUE_COUNT, (Value){ .known = true, .number = 5 });
	constant = table_column(table, table->columns->len - 1);
	for (guint row = 0; row < table->count; row++)
		cr_expect(eq(u64, table_cell(table, constant, row).number, 5));
	cr_expect(eq(str, (char *)table_printf(table, "%s_%d", "old", 1), "old_1"));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of the overview of slab caches: two tables of caches, and the use of memory above.
 * render_text.c calls it.
 */
#include "render/text/render_text.h"

#include "base/clock.h"
#include "base/escape.h"
#include "base/number_text.h"

#include <string.h>

#define MEMORY_HEADING "Memory:"

enum { TABLE_COLUMNS = 4, COLUMN_GAP = 2, LINE_COLUMNS = 80 };

/* Appends "slab unreclaimable 190 MiB (+1.2 MiB/s)". */
static void append_use(GString *out, const MemorySpan *span, const struct SlabTableUse *use)
{
	uint64_t start = span->start.numbers[use->figure], end = span->end.numbers[use->figure];

	g_string_append_printf(out, "%s ", use->name);
	append_amount(out, end, true);
	if (!span->start.known[use->figure] || start == end || !span->span_ns)
		return;
	g_string_append(out, " (");
	append_change(out, ((double)end - (double)start) * NS_PER_SECOND / (double)span->span_ns,
		      true);
	g_string_append(out, "/s)");
}

/* Appends "Memory: available 15.1 GiB (-13.0 MiB/s), slab unreclaimable 190 MiB, ...", in lines of
   80 columns; nothing if nothing is known. */
static void append_memory_uses(GString *out, const MemorySpan *span)
{
	g_autoptr(GString) part = g_string_new(NULL);
	gsize start = out->len, line = start;

	g_string_append(out, MEMORY_HEADING);
	for (int use = 0; use < SLAB_TABLE_USES; use++) {
		if (!span->end.known[slab_table_uses[use].figure])
			continue;
		g_string_truncate(part, 0);
		append_use(part, span, &slab_table_uses[use]);
		if (out->len > start + strlen(MEMORY_HEADING))
			g_string_append_c(out, ',');
		/* Includes the space before the part and the comma after it. */
		if (out->len - line + part->len + 2 > LINE_COLUMNS) {
			g_string_append_c(out, '\n');
			line = out->len;
			g_string_append_printf(out, "%*s", (int)strlen(MEMORY_HEADING), "");
		}
		g_string_append_printf(out, " %s", part->str);
	}
	if (out->len == start + strlen(MEMORY_HEADING))
		g_string_truncate(out, start);
	else
		g_string_append_c(out, '\n');
}

static void free_cell(void *cell)
{
	g_string_free(cell, TRUE);
}

static GString *add_cell(GPtrArray *cells)
{
	GString *cell = g_string_new(NULL);

	g_ptr_array_add(cells, cell);
	return cell;
}

static void add_row(GPtrArray *cells, const SlabTableRow *row, bool human)
{
	escape_append(add_cell(cells), row->cache->name);
	append_count(add_cell(cells), row->cache->objects_in_use);
	append_amount(add_cell(cells), row->cache->slab_bytes, human);
	append_change(add_cell(cells), row->change_bytes, human);
}

/* The first column is left-aligned text; the others are right-aligned numbers. */
static void append_cells(GString *out, const GPtrArray *cells)
{
	glong width[TABLE_COLUMNS] = { 0 };

	for (guint i = 0; i < cells->len; i++) {
		const GString *cell = g_ptr_array_index(cells, i);

		width[i % TABLE_COLUMNS] =
			MAX(width[i % TABLE_COLUMNS], g_utf8_strlen(cell->str, -1));
	}
	for (guint i = 0; i < cells->len; i++) {
		const GString *cell = g_ptr_array_index(cells, i);
		int padding = (int)(width[i % TABLE_COLUMNS] - g_utf8_strlen(cell->str, -1));

		if (i % TABLE_COLUMNS)
			g_string_append_printf(out, "%*s%s", COLUMN_GAP + padding, "", cell->str);
		else
			g_string_append_printf(out, "%s%*s", cell->str, padding, "");
		if (i % TABLE_COLUMNS == TABLE_COLUMNS - 1)
			g_string_append_c(out, '\n');
	}
}

/* Appends the titles and rows of one kind of caches; nothing if there are none. */
static void append_rows(GString *out, const SlabTable *table, const GArray *rows, const char *title)
{
	g_autoptr(GPtrArray) cells = g_ptr_array_new_with_free_func(free_cell);
	guint shown = MIN(rows->len, table->rows_max);

	if (!rows->len)
		return;
	g_string_append(add_cell(cells), title);
	g_string_append(add_cell(cells), "IN-USE");
	g_string_append(add_cell(cells), table->human ? "SIZE" : "SIZE-BYTES");
	g_string_append(add_cell(cells), table->human ? "CHANGE/s" : "CHANGE-BYTES/s");
	for (guint i = 0; i < shown; i++)
		add_row(cells, &g_array_index(rows, SlabTableRow, i), table->human);
	append_cells(out, cells);
	if (rows->len > shown)
		g_string_append_printf(out, "%u more (--all)\n", rows->len - shown);
	g_string_append_c(out, '\n');
}

static void append_next(GString *out, const SlabTable *table, const GArray *rows)
{
	const SlabTableRow *first = rows->len ? &g_array_index(rows, SlabTableRow, 0) : NULL;
	int64_t outside = slab_table_taken_outside(table);
	g_autofree char *quoted = NULL;

	if (outside) {
		append_amount(out, (uint64_t)outside, true);
		g_string_append(out, " went to pages outside of slab caches; "
				     "next: kmalloc-top --events=page -d 10\n");
		return;
	}
	if (!first || first->change_bytes <= 0) {
		g_string_append(out, "no cache grew meanwhile; next: slabstack NAME\n");
		return;
	}
	quoted = g_shell_quote(first->cache->name);
	g_string_append(out, "next: slabstack ");
	escape_append(out, strpbrk(first->cache->name, " \t'\"\\$`*?[]();&|<>!#~")
				   ? quoted
				   : first->cache->name);
	g_string_append_c(out, '\n');
}

void append_slab_table(GString *out, const SlabTable *table)
{
	g_autoptr(GArray) kept = slab_table_rows(table, false);
	g_autoptr(GArray) reclaimable = slab_table_rows(table, true);
	gsize start = out->len;

	append_memory_uses(out, &table->memory);
	if (out->len > start)
		g_string_append_c(out, '\n');
	append_rows(out, table, kept, "CACHE");
	append_rows(out, table, reclaimable, "RECLAIMABLE CACHE");
	append_next(out, table, kept);
}

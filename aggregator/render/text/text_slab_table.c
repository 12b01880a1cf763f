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

enum { LINE_COLUMNS = 80 };

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

/* Appends the titles and rows of one kind of caches; nothing if there are none. */
static void append_rows(GString *out, const SlabTable *slabs, Table *table, const char *title)
{
	const TextLayout layout = { .gap = 2, .human = slabs->human };

	if (!table->count && !table->more)
		return;
	g_array_index(table->columns, TableColumn, 0).title = title;
	append_table(out, table, &layout);
	if (table->more)
		g_string_append_printf(out, "%" G_GUINT64_FORMAT " more (--all)\n", table->more);
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
	quoted = g_shell_quote(first->name);
	g_string_append(out, "next: slabstack ");
	escape_append(out, strpbrk(first->name, " \t'\"\\$`*?[]();&|<>!#~") ? quoted : first->name);
	g_string_append_c(out, '\n');
}

void append_slab_table(GString *out, const SlabTable *slabs)
{
	g_autoptr(Table) kept = table_new(slabs, NULL), reclaimable = table_new(slabs, NULL);
	gsize start = out->len;

	slab_table_add(kept, slabs, SLABS_KEPT, TABLE_TEXT);
	slab_table_add(reclaimable, slabs, SLABS_RECLAIMABLE, TABLE_TEXT);
	append_memory_uses(out, &slabs->memory);
	if (out->len > start)
		g_string_append_c(out, '\n');
	append_rows(out, slabs, kept, "CACHE");
	append_rows(out, slabs, reclaimable, "RECLAIMABLE CACHE");
	append_next(out, slabs, kept->rows);
}

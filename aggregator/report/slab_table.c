/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/slab_table.h"

#include "escape.h"
#include "number_text.h"

#include <string.h>

#define NS_PER_SECOND 1e9

enum { COLUMNS = 4, COLUMN_GAP = 2 };

static double change_of(const SlabSpan *span, const SlabinfoCache *end)
{
	const SlabinfoCache *start = slabinfo_find(span->start, end->name);
	double objects = (double)end->objects_in_use - (double)(start ? start->objects_in_use : 0);

	return span->span_ns
		       ? objects * (double)end->object_bytes * NS_PER_SECOND / (double)span->span_ns
		       : 0;
}

/* Growth first, then size; what shrinks does not come last for that. */
static int compare_rows(const void *a, const void *b)
{
	const SlabTableRow *of_a = a, *of_b = b;
	double growth_a = MAX(of_a->change_bytes, 0), growth_b = MAX(of_b->change_bytes, 0);

	if (growth_a != growth_b)
		return growth_a > growth_b ? -1 : 1;
	if (of_a->cache->slab_bytes != of_b->cache->slab_bytes)
		return of_a->cache->slab_bytes > of_b->cache->slab_bytes ? -1 : 1;
	return strcmp(of_a->cache->name, of_b->cache->name);
}

GArray *slab_table_rows(const SlabTable *table, bool reclaimable)
{
	const SlabSpan *span = &table->span;
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(SlabTableRow));

	for (guint i = 0; i < slabinfo_count(span->end); i++) {
		const SlabinfoCache *cache = slabinfo_at(span->end, i);
		const SlabTableRow row = { cache, change_of(span, cache) };

		if ((cache->slab_bytes || cache->objects_in_use) &&
		    reclaimable_has(table->reclaimable, cache->name) == reclaimable)
			g_array_append_val(rows, row);
	}
	g_array_sort(rows, compare_rows);
	return rows;
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

/* The first column is text, the others are numbers and end at one edge. */
static void append_cells(GString *out, const GPtrArray *cells)
{
	glong width[COLUMNS] = { 0 };

	for (guint i = 0; i < cells->len; i++) {
		const GString *cell = g_ptr_array_index(cells, i);

		width[i % COLUMNS] = MAX(width[i % COLUMNS], g_utf8_strlen(cell->str, -1));
	}
	for (guint i = 0; i < cells->len; i++) {
		const GString *cell = g_ptr_array_index(cells, i);
		int padding = (int)(width[i % COLUMNS] - g_utf8_strlen(cell->str, -1));

		if (i % COLUMNS)
			g_string_append_printf(out, "%*s%s", COLUMN_GAP + padding, "", cell->str);
		else
			g_string_append_printf(out, "%s%*s", cell->str, padding, "");
		if (i % COLUMNS == COLUMNS - 1)
			g_string_append_c(out, '\n');
	}
}

/* Appends the titles and rows of one kind of caches; nothing where there are none. */
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

int64_t slab_table_taken_outside(const SlabTable *table)
{
	enum { NOISE_BYTES = 1 << 20, NOISE_BYTES_OF_A_CPU = 128 << 10 };
	const HostMemoryUse *start = &table->memory.start, *end = &table->memory.end;
	int64_t outside = host_memory_use_outside_slab(start, end);
	int64_t in_slab =
		end->bytes[MEMORY_SLAB_UNRECLAIMABLE] - start->bytes[MEMORY_SLAB_UNRECLAIMABLE];
	int64_t noise = NOISE_BYTES + (int64_t)table->cpus * NOISE_BYTES_OF_A_CPU;

	return outside > MAX(in_slab, noise) ? outside : 0;
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

	append_memory_line(out, &table->memory);
	if (out->len > start)
		g_string_append_c(out, '\n');
	append_rows(out, table, kept, "CACHE");
	append_rows(out, table, reclaimable, "RECLAIMABLE CACHE");
	append_next(out, table, kept);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text form of a reading of cgroups, for both sides: collect/tasks/cgroup_walk.c writes it,
 * report/cgroup_rows.c reads it. Totals are lines "KEY NUMBER". A line of keys says which figures
 * the lines of cgroups have behind the path and a tab; "-" is an unknown one.
 */
#include "names/cgroup_memory.h"

#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "base/text_part.h"

#include <limits.h>
#include <string.h>

#define COLUMNS "columns"

const CgroupFigureKind cgroup_figures[CGROUP_FIGURES] = {
	[CGROUP_KERNEL] = { "kernel_bytes", "kernel ", "memory.kmem.usage_in_bytes" },
	[CGROUP_SOCKETS] = { "sockets_bytes", "sock ", "memory.kmem.tcp.usage_in_bytes" },
	[CGROUP_SLAB_UNRECLAIMABLE] = { "slab_unreclaimable_bytes", "slab_unreclaimable ", NULL },
	[CGROUP_SLAB_RECLAIMABLE] = { "slab_reclaimable_bytes", "slab_reclaimable ", NULL },
	[CGROUP_PER_CPU] = { "per_cpu_bytes", "percpu ", NULL },
	[CGROUP_KERNEL_STACKS] = { "kernel_stacks_bytes", "kernel_stack ", NULL },
	[CGROUP_PAGE_TABLES] = { "page_tables_bytes", "pagetables ", NULL },
	[CGROUP_VMALLOC] = { "vmalloc_bytes", "vmalloc ", NULL },
	[CGROUP_DYING] = { "dying", NULL, NULL },
};

void cgroup_totals_append(GString *out, const CgroupTotals *totals)
{
	if (totals->is_visible_known)
		g_string_append_printf(out, "visible %" G_GUINT64_FORMAT "\n", totals->visible);
	if (totals->is_dying_known)
		g_string_append_printf(out, "dying %" G_GUINT64_FORMAT "\n", totals->dying);
	if (totals->unread)
		g_string_append_printf(out, "unread %" G_GUINT64_FORMAT "\n", totals->unread);
	if (totals->is_flat)
		g_string_append(out, "flat 1\n");
	g_string_append(out, COLUMNS);
	for (CgroupFigure figure = 0; figure < CGROUP_FIGURES; figure++)
		g_string_append_printf(out, " %s", cgroup_figures[figure].key);
	g_string_append_c(out, '\n');
}

void cgroup_memory_append(GString *out, const CgroupMemory *cgroup)
{
	g_string_append_printf(out, "%s\t", cgroup->path);
	for (CgroupFigure figure = 0; figure < CGROUP_FIGURES; figure++) {
		g_string_append(out, figure ? " " : "");
		if (cgroup->known[figure])
			g_string_append_printf(out, "%" G_GUINT64_FORMAT, cgroup->numbers[figure]);
		else
			g_string_append_c(out, '-');
	}
	g_string_append_c(out, '\n');
}

static void cgroup_clear(void *data)
{
	CgroupMemory *cgroup = data;

	g_free(cgroup->path);
}

/* The figures of a reading's columns. A newer program may write more than this one knows. */
enum { COLUMNS_MAX = 32 };
typedef struct {
	CgroupFigure figures[COLUMNS_MAX]; /* CGROUP_FIGURES: an unknown one */
	unsigned count;
} Columns;

static void parse_columns(Columns *columns, TextPart line)
{
	for (columns->count = 0; columns->count < COLUMNS_MAX; columns->count++) {
		TextPart key = text_part_next_word(&line);
		CgroupFigure figure = 0;

		if (!key.length)
			return;
		while (figure < CGROUP_FIGURES && !text_part_is(key, cgroup_figures[figure].key))
			figure++;
		columns->figures[columns->count] = figure;
	}
}

static void parse_total(CgroupTotals *totals, TextPart key, TextPart word)
{
	uint64_t number;

	if (!text_part_decimal_64(word, &number))
		return;
	if (text_part_is(key, "visible")) {
		totals->visible = number;
		totals->is_visible_known = true;
	} else if (text_part_is(key, "dying")) {
		totals->dying = number;
		totals->is_dying_known = true;
	} else if (text_part_is(key, "unread")) {
		totals->unread = number;
	} else if (text_part_is(key, "flat")) {
		totals->is_flat = number;
	}
}

/* Returns false if one of the figures is neither a number nor unknown, or missing. */
static bool parse_figures(CgroupMemory *cgroup, const Columns *columns, TextPart line)
{
	for (unsigned i = 0; i < columns->count; i++) {
		CgroupFigure figure = columns->figures[i];
		TextPart word = text_part_next_word(&line);
		uint64_t number;

		if (text_part_is(word, "-"))
			continue;
		if (!text_part_decimal_64(word, &number))
			return false;
		if (figure == CGROUP_FIGURES)
			continue;
		cgroup->numbers[figure] = number;
		cgroup->known[figure] = true;
	}
	return true;
}

static void add_cgroup(CgroupReading *reading, const Columns *columns, TextPart line)
{
	const char *tab = memchr(line.text, '\t', line.length);
	size_t bytes = tab ? (size_t)(tab - line.text) : 0;
	TextPart figures = { line.text + bytes, line.length - bytes };
	CgroupMemory cgroup = { 0 };

	if (!tab || bytes > PATH_MAX || !columns->count ||
	    !parse_figures(&cgroup, columns, figures))
		return;
	cgroup.path = g_strndup(line.text, bytes);
	if (g_hash_table_contains(reading->by_path, cgroup.path)) {
		g_free(cgroup.path);
		return;
	}
	g_array_append_val(reading->cgroups, cgroup);
	g_hash_table_insert(reading->by_path, cgroup.path, GUINT_TO_POINTER(reading->cgroups->len));
}

CgroupReading *cgroup_reading_new(const GString *text)
{
	CgroupReading *reading = g_new0(CgroupReading, 1);
	TextPart rest = { text ? text->str : "", text ? text->len : 0 };
	Columns columns = { .count = 0 };
	TextPart line;

	reading->cgroups = g_array_new(FALSE, FALSE, sizeof(CgroupMemory));
	g_array_set_clear_func(reading->cgroups, cgroup_clear);
	reading->by_path = g_hash_table_new(keyed_hash_text, g_str_equal);
	while (text_part_next_line(&rest, &line)) {
		TextPart key;

		if (line.length && *line.text == '/') {
			add_cgroup(reading, &columns, line);
			continue;
		}
		key = text_part_next_word(&line);
		if (text_part_is(key, COLUMNS))
			parse_columns(&columns, line);
		else
			parse_total(&reading->totals, key, text_part_next_word(&line));
	}
	return reading;
}

void cgroup_reading_free(CgroupReading *reading)
{
	if (!reading)
		return;
	g_hash_table_unref(reading->by_path);
	g_array_unref(reading->cgroups);
	g_free(reading);
}

const CgroupMemory *cgroup_reading_find(const CgroupReading *reading, const char *path)
{
	guint place = GPOINTER_TO_UINT(g_hash_table_lookup(reading->by_path, path));

	return place ? &g_array_index(reading->cgroups, CgroupMemory, place - 1) : NULL;
}

uint64_t cgroup_kernel_bytes(const CgroupMemory *cgroup)
{
	return saturate_sum(cgroup->numbers[CGROUP_KERNEL], cgroup->numbers[CGROUP_SOCKETS]);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/memory_line.h"

#include "number_text.h"

#include <string.h>

enum { COLUMNS = 80 };
#define NS_PER_SECOND 1e9
#define HEADING "Memory:"

static const char *const names[MEMORY_USES_SHOWN] = {
	[MEMORY_AVAILABLE] = "available",
	[MEMORY_SLAB_UNRECLAIMABLE] = "slab unreclaimable",
	[MEMORY_SLAB_RECLAIMABLE] = "slab reclaimable",
	[MEMORY_VMALLOC] = "vmalloc",
	[MEMORY_PER_CPU] = "per-CPU",
	[MEMORY_PAGE_TABLES] = "page tables",
};

/* Appends "slab unreclaimable 190 MiB (+1.2 MiB/s)". */
static void append_use(GString *out, const MemorySpan *span, MemoryUse use)
{
	int64_t start = span->start.bytes[use], end = span->end.bytes[use];

	g_string_append_printf(out, "%s ", names[use]);
	append_amount(out, (uint64_t)end, true);
	if (start < 0 || start == end || !span->span_ns)
		return;
	g_string_append(out, " (");
	append_change(out, (double)(end - start) * NS_PER_SECOND / (double)span->span_ns, true);
	g_string_append(out, "/s)");
}

void append_memory_line(GString *out, const MemorySpan *span)
{
	g_autoptr(GString) part = g_string_new(NULL);
	gsize start = out->len, line = start;

	g_string_append(out, HEADING);
	for (MemoryUse use = 0; use < MEMORY_USES_SHOWN; use++) {
		if (span->end.bytes[use] < 0)
			continue;
		g_string_truncate(part, 0);
		append_use(part, span, use);
		if (out->len > start + strlen(HEADING))
			g_string_append_c(out, ',');
		/* A space before it, a comma behind. */
		if (out->len - line + part->len + 2 > COLUMNS) {
			g_string_append_c(out, '\n');
			line = out->len;
			g_string_append_printf(out, "%*s", (int)strlen(HEADING), "");
		}
		g_string_append_printf(out, " %s", part->str);
	}
	if (out->len == start + strlen(HEADING))
		g_string_truncate(out, start);
	else
		g_string_append_c(out, '\n');
}

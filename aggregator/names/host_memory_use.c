/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "names/host_memory_use.h"

#include <string.h>

enum { KIB = 1024 };
#define KIB_MAX (INT64_MAX / KIB / MEMORY_USES)

static const char *const headings[MEMORY_USES] = {
	[MEMORY_AVAILABLE] = "MemAvailable:",
	[MEMORY_SLAB_UNRECLAIMABLE] = "SUnreclaim:",
	[MEMORY_SLAB_RECLAIMABLE] = "SReclaimable:",
	[MEMORY_VMALLOC] = "VmallocUsed:",
	[MEMORY_PER_CPU] = "Percpu:",
	[MEMORY_PAGE_TABLES] = "PageTables:",
	[MEMORY_ANONYMOUS] = "AnonPages:",
	[MEMORY_SHARED] = "Shmem:",
};

static void take_line(HostMemoryUse *memory, const char *line)
{
	for (int use = 0; use < MEMORY_USES; use++)
		if (g_str_has_prefix(line, headings[use]))
			memory->bytes[use] =
				(int64_t)MIN(
					g_ascii_strtoull(line + strlen(headings[use]), NULL, 10),
					KIB_MAX) *
				KIB;
}

HostMemoryUse host_memory_use_parse(const GString *text)
{
	g_auto(GStrv) lines = g_strsplit(text ? text->str : "", "\n", -1);
	HostMemoryUse memory;

	for (int use = 0; use < MEMORY_USES; use++)
		memory.bytes[use] = MEMORY_UNKNOWN;
	for (char **line = lines; *line; line++)
		take_line(&memory, *line);
	return memory;
}

int64_t host_memory_use_outside_slab(const HostMemoryUse *start, const HostMemoryUse *end)
{
	static const MemoryUse others[] = { MEMORY_SLAB_UNRECLAIMABLE, MEMORY_ANONYMOUS,
					    MEMORY_SHARED };
	int64_t taken = start->bytes[MEMORY_AVAILABLE] - end->bytes[MEMORY_AVAILABLE];

	if (start->bytes[MEMORY_AVAILABLE] < 0 || end->bytes[MEMORY_AVAILABLE] < 0)
		return 0;
	for (size_t i = 0; i < G_N_ELEMENTS(others); i++)
		taken -= end->bytes[others[i]] - start->bytes[others[i]];
	return taken;
}

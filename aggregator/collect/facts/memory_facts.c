/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the state of the host's memory: a const table says which line of which file is which
 * figure. All files are read before one is parsed. live_run.c writes a reading at both ends of the
 * window.
 */
#include "collect/facts/memory_facts.h"

#include "base/clock.h"
#include "names/host_state.h"
#include "record/batch_writer.h"

#include <string.h>
#include <unistd.h>

enum { COUNT = 1, KIB = 1024, PAGES = 0 };

#define MEMINFO "/proc/meminfo"
#define ZONEINFO "/proc/zoneinfo"
#define VMSTAT "/proc/vmstat"
#define PRESSURE "/proc/pressure/memory"

/* Free memory first, without a pause. */
static const char *const files[] = { MEMINFO, ZONEINFO, VMSTAT, PRESSURE };

/* How a figure's lines in a file begin, without blanks, and what is in front of the number. Numbers
   of several lines are added up: since Linux 4.10 each zone has an "allocstall". */
static const struct {
	const char *file;
	const char *line;
	const char *before;
	HostFigure figure;
	unsigned unit; /* of the number: bytes, COUNT or PAGES */
} places[] = {
	{ MEMINFO, "MemTotal:", ":", HOST_MEMORY_TOTAL, KIB },
	{ MEMINFO, "MemFree:", ":", HOST_MEMORY_FREE, KIB },
	{ MEMINFO, "MemAvailable:", ":", HOST_MEMORY_AVAILABLE, KIB },
	{ MEMINFO, "Slab:", ":", HOST_SLAB, KIB },
	{ MEMINFO, "SUnreclaim:", ":", HOST_SLAB_UNRECLAIMABLE, KIB },
	{ MEMINFO, "SReclaimable:", ":", HOST_SLAB_RECLAIMABLE, KIB },
	{ MEMINFO, "VmallocUsed:", ":", HOST_VMALLOC, KIB },
	{ MEMINFO, "Percpu:", ":", HOST_PER_CPU, KIB },
	{ MEMINFO, "PageTables:", ":", HOST_PAGE_TABLES, KIB },
	{ MEMINFO, "KernelStack:", ":", HOST_KERNEL_STACKS, KIB },
	{ MEMINFO, "Hugetlb:", ":", HOST_HUGE_PAGES, KIB },
	{ MEMINFO, "AnonPages:", ":", HOST_ANONYMOUS, KIB },
	{ MEMINFO, "Cached:", ":", HOST_PAGE_CACHE, KIB },
	{ MEMINFO, "Buffers:", ":", HOST_PAGE_CACHE, KIB },
	{ MEMINFO, "Active:", ":", HOST_LISTED, KIB },
	{ MEMINFO, "Inactive:", ":", HOST_LISTED, KIB },
	{ MEMINFO, "Unevictable:", ":", HOST_LISTED, KIB },
	{ VMSTAT, "nr_isolated_", " ", HOST_LISTED, PAGES },
	{ VMSTAT, "nr_zspages ", " ", HOST_COMPRESSED, PAGES },
	/* For each zone and CPU. */
	{ ZONEINFO, "count:", ":", HOST_MEMORY_FREE_ON_CPUS, PAGES },
	{ VMSTAT, "pgmajfault ", " ", HOST_MAJOR_FAULTS, COUNT },
	{ VMSTAT, "allocstall", " ", HOST_RECLAIM_STALLS, COUNT },
	{ VMSTAT, "oom_kill ", " ", HOST_OOM_KILLS, COUNT },
	{ PRESSURE, "some ", "total=", HOST_PRESSURE_SOME_US, COUNT },
	{ PRESSURE, "full ", "total=", HOST_PRESSURE_FULL_US, COUNT },
};

static void take_number(HostState *state, gsize place, const char *text)
{
	HostFigure figure = places[place].figure;
	uint64_t unit = places[place].unit ? places[place].unit : (uint64_t)sysconf(_SC_PAGESIZE);
	char *end;
	uint64_t number = g_ascii_strtoull(text, &end, 10);

	if (end == text || number > INT64_MAX / unit)
		return;
	state->known[figure] = true;
	state->numbers[figure] += number * unit;
}

static void take_line(HostState *state, const char *file, const char *line)
{
	line += strspn(line, " ");
	for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
		const char *before;

		if (!g_str_equal(places[i].file, file) || !g_str_has_prefix(line, places[i].line))
			continue;
		before = strstr(line, places[i].before);
		if (before)
			take_number(state, i, before + strlen(places[i].before));
	}
}

static void take_text(HostState *state, const char *file, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++)
		take_line(state, file, *line);
}

/* Memory changes by some GB/s, so all files are read before any is parsed. A kernel without
   pressure information has no file; one that was started with psi=0 refuses to read it. */
static HostState read_state(const char *root)
{
	char *texts[G_N_ELEMENTS(files)] = { NULL };
	HostState state = { 0 };

	for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_strconcat(root, files[i], NULL);

		if (!g_file_get_contents(path, &texts[i], NULL, NULL))
			texts[i] = NULL;
	}
	for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
		if (texts[i])
			take_text(&state, files[i], texts[i]);
		g_free(texts[i]);
	}
	return state;
}

void memory_facts_append(GByteArray *out, const char *root, uint32_t reading)
{
	g_autoptr(GString) text = g_string_new(NULL);
	HostState state = read_state(root);

	host_state_append(text, &state);
	if (text->len)
		batch_write_reading(out, KMT_BATCH_MEMORY, reading, clock_monotonic_ns(), text->str,
				    text->len);
}

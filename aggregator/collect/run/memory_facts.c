/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/memory_facts.h"

#include "base/clock.h"
#include "names/host_state.h"
#include "record/batch_writer.h"

#include <string.h>

enum { KIB = 1024 };

static const char *const files[] = { "/proc/meminfo", "/proc/vmstat", "/proc/pressure/memory" };

/* How a figure's lines begin, in whichever file, and what is in front of the number. Numbers of
   several lines are added up: since Linux 4.10 each zone has an "allocstall". */
static const struct {
	const char *line;
	const char *before;
	HostFigure figure;
	unsigned unit; /* of the number */
} places[] = {
	{ "MemTotal:", ":", HOST_MEMORY_TOTAL, KIB },
	{ "MemFree:", ":", HOST_MEMORY_FREE, KIB },
	{ "MemAvailable:", ":", HOST_MEMORY_AVAILABLE, KIB },
	{ "Slab:", ":", HOST_SLAB, KIB },
	{ "SUnreclaim:", ":", HOST_SLAB_UNRECLAIMABLE, KIB },
	{ "pgmajfault ", " ", HOST_MAJOR_FAULTS, 1 },
	{ "allocstall", " ", HOST_RECLAIM_STALLS, 1 },
	{ "oom_kill ", " ", HOST_OOM_KILLS, 1 },
	{ "some ", "total=", HOST_PRESSURE_SOME_US, 1 },
	{ "full ", "total=", HOST_PRESSURE_FULL_US, 1 },
};

static void take_number(HostState *state, gsize place, const char *text)
{
	HostFigure figure = places[place].figure;
	char *end;
	uint64_t number = g_ascii_strtoull(text, &end, 10);

	if (end == text || number > INT64_MAX / KIB)
		return;
	state->known[figure] = true;
	state->numbers[figure] += number * places[place].unit;
}

static void take_line(HostState *state, const char *line)
{
	for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
		const char *before = strstr(line, places[i].before);

		if (before && g_str_has_prefix(line, places[i].line))
			take_number(state, i, before + strlen(places[i].before));
	}
}

/* A kernel without pressure information has no file; one that was started with psi=0 refuses to
   read it. */
static void take_file(HostState *state, const char *root, const char *file)
{
	g_autofree char *path = g_strconcat(root, file, NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		take_line(state, *line);
}

void memory_facts_append(GByteArray *out, const char *root, uint32_t reading)
{
	g_autoptr(GString) text = g_string_new(NULL);
	HostState state = { 0 };

	for (gsize i = 0; i < G_N_ELEMENTS(files); i++)
		take_file(&state, root, files[i]);
	host_state_append(text, &state);
	if (text->len)
		batch_write_reading(out, KMT_BATCH_MEMORY, reading, clock_monotonic_ns(), text->str,
				    text->len);
}

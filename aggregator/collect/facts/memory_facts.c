/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the state of the host's memory: the table of figures says which line of which file is which
 * figure. All files are read before one is parsed. live_run.c writes a reading at both ends of the
 * window.
 */
#include "collect/facts/memory_facts.h"

#include "record/format.h"
#include "base/clock.h"
#include "names/host_state.h"
#include "record/batch_writer.h"

#include <string.h>
#include <unistd.h>

/* Free memory first, without a pause. In front of a number: */
static const struct {
	const char *path;
	const char *before;
} files[HOST_FILES] = {
	[IN_MEMINFO] = { "/proc/meminfo", ":" },
	[IN_ZONEINFO] = { "/proc/zoneinfo", ":" },
	[IN_VMSTAT] = { "/proc/vmstat", " " },
	[IN_PRESSURE] = { "/proc/pressure/memory", "total=" },
};

static void take_number(HostState *state, HostFigure figure, unsigned unit_given, const char *text)
{
	uint64_t unit = unit_given ? unit_given : (uint64_t)sysconf(_SC_PAGESIZE);
	char *end;
	uint64_t number = g_ascii_strtoull(text, &end, 10);

	g_assert(figure < HOST_FIGURES);
	if (end == text || number > INT64_MAX / unit)
		return;
	state->known[figure] = true;
	state->numbers[figure] += number * unit;
}

static void take_line(HostState *state, HostFile file, const char *line)
{
	const char *number;

	line += strspn(line, " ");
	number = strstr(line, files[file].before);
	for (HostFigure figure = 0; number && figure < HOST_FIGURES; figure++) {
		const HostPlace *place = host_figures[figure].places;

		for (int i = 0; i < HOST_PLACES && place[i].line; i++)
			if (place[i].file == file && g_str_has_prefix(line, place[i].line))
				take_number(state, figure, place[i].unit,
					    number + strlen(files[file].before));
	}
}

/* Memory changes by some GB/s, so all files are read before any is parsed. A kernel without
   pressure information has no file; one that was started with psi=0 refuses to read it. */
static HostState read_state(const char *root)
{
	char *texts[HOST_FILES] = { NULL };
	HostState state = { 0 };

	for (HostFile i = 0; i < HOST_FILES; i++) {
		g_autofree char *path = g_strconcat(root, files[i].path, NULL);

		if (!g_file_get_contents(path, &texts[i], NULL, NULL))
			texts[i] = NULL;
	}
	for (HostFile i = 0; i < HOST_FILES; i++) {
		g_auto(GStrv) lines = g_strsplit(texts[i] ? texts[i] : "", "\n", -1);

		for (char **line = lines; *line; line++)
			take_line(&state, i, *line);
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

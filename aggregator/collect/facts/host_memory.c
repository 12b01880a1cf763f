/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory that the host has available, from /proc/meminfo. Plans of buffers are bounded by it.
 * Both collectors and their lines of --check ask.
 */
#include "collect/facts/host_memory.h"

#include <glib.h>
#include <string.h>

/* Returns the bytes in a line "NAME:  123 kB"; 0: no such line. */
static uint64_t line_bytes(char **lines, const char *name)
{
	size_t length = strlen(name);

	for (char **line = lines; *line; line++)
		if (!strncmp(*line, name, length) && (*line)[length] == ':')
			return g_ascii_strtoull(*line + length + 1, NULL, 10) << 10;
	return 0;
}

uint64_t host_memory_available(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/meminfo", NULL);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	uint64_t available;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	available = line_bytes(lines, "MemAvailable");
	return available ? available : line_bytes(lines, "MemFree") + line_bytes(lines, "Cached");
}

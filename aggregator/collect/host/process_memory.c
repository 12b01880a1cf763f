/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/host/process_memory.h"

#include <glib.h>
#include <string.h>

static const char *const held[] = { "VmRSS:", "VmSwap:" };

/* Returns the bytes of a line "VmRSS:\t  123 kB" of memory that is held, 0 of any other. */
static uint64_t line_bytes(const char *line)
{
	for (size_t i = 0; i < G_N_ELEMENTS(held); i++)
		if (g_str_has_prefix(line, held[i]))
			return g_ascii_strtoull(line + strlen(held[i]), NULL, 10) << 10;
	return 0;
}

uint64_t process_memory(const char *root, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/status", root, (int)pid);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;
	uint64_t bytes = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++)
		bytes += line_bytes(*line);
	return bytes;
}

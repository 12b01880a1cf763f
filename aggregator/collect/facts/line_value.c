/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds a value in a text of lines, such as a configuration or the output of a program. No state.
 * stap_tool.c, stap_check.c and kernel_headers.c call it.
 */
#include "collect/facts/line_value.h"

#include <glib.h>
#include <string.h>

char *line_value(const char *text, const char *before, const char *after)
{
	gsize before_bytes = strlen(before);

	for (const char *line = text; *line;) {
		gsize line_bytes = strcspn(line, "\n");

		if (strncmp(line, before, before_bytes) == 0) {
			const char *value = line + before_bytes;
			gsize value_bytes = line_bytes - before_bytes;
			const char *end = *after ? g_strstr_len(value, (gssize)value_bytes, after)
						 : value + value_bytes;

			if (end)
				return g_strndup(value, (gsize)(end - value));
		}
		line += line_bytes + (line[line_bytes] == '\n');
	}
	return NULL;
}

char *line_value_of_file(const char *path, const char *before, const char *after)
{
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	return line_value(text, before, after);
}

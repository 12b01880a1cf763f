/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/process_memory.h"

#include <glib.h>
#include <string.h>

/* Returns the number in a line "NAME:\t123"; 0 when there is none of that name. */
static uint64_t number_of(char **lines, const char *name)
{
	size_t length = strlen(name);

	for (char **line = lines; *line; line++)
		if (!strncmp(*line, name, length) && (*line)[length] == ':')
			return g_ascii_strtoull(*line + length + 1, NULL, 10);
	return 0;
}

/* Returns the lines of /proc/PID/status, NULL when the process is gone. */
static char **read_status(const char *root, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("%s/proc/%d/status", root, (int)pid);
	g_autofree char *text = NULL;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return NULL;
	return g_strsplit(text, "\n", -1);
}

static uint64_t held(char **status)
{
	return (number_of(status, "VmRSS") + number_of(status, "VmSwap")) << 10;
}

uint64_t process_memory(const char *root, pid_t pid)
{
	g_auto(GStrv) status = read_status(root, pid);

	return status ? held(status) : 0;
}

/* The list may be old: its pid may be another process's by now. */
static uint64_t process_memory_child(const char *root, pid_t pid, pid_t parent)
{
	g_auto(GStrv) status = read_status(root, pid);

	return status && number_of(status, "PPid") == (uint64_t)parent ? held(status) : 0;
}

uint64_t process_memory_children(const char *root, pid_t parent)
{
	g_autofree char *path =
		g_strdup_printf("%s/proc/%d/task/%d/children", root, (int)parent, (int)parent);
	g_autofree char *text = NULL;
	g_auto(GStrv) pids = NULL;
	uint64_t bytes = 0;

	if (!g_file_get_contents(path, &text, NULL, NULL))
		return 0;
	pids = g_strsplit(text, " ", -1);
	for (char **pid = pids; *pid; pid++)
		if (**pid)
			bytes += process_memory_child(root, (pid_t)g_ascii_strtoull(*pid, NULL, 10),
						      parent);
	return bytes;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/pid_check.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 256 };

/* Returns the thread group that a task is of, by its /proc/PID/status; 0: there is no such task. */
static guint32 group_of(const char *root, guint32 pid)
{
	static const char heading[] = "Tgid:";
	g_autofree char *path = g_strdup_printf("%s/proc/%u/status", root, pid);
	FILE *file = fopen(path, "re");
	char line[LINE_BYTES];
	guint64 group = 0;

	while (file && !group && fgets(line, sizeof(line), file))
		if (g_str_has_prefix(line, heading))
			group = g_ascii_strtoull(line + strlen(heading), NULL, 10);
	if (file)
		fclose(file);
	return (guint32)group;
}

static bool exists(const char *root, guint32 pid, GError **error)
{
	guint32 group = group_of(root, pid);

	if (group == pid)
		return true;
	if (group)
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "-p: %u is a thread of process %u: use -p %u", pid, group, group);
	else
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "-p: there is no process %u", pid);
	return false;
}

bool pids_exist(const char *root, const GArray *pids, GError **error)
{
	for (guint i = 0; i < pids->len; i++)
		if (!exists(root, g_array_index(pids, guint32, i), error))
			return false;
	return true;
}

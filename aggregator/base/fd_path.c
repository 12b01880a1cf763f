/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The path of an open file, read from /proc/self/fd. Used where a file was opened by a descriptor,
 * and its path is needed for cgroups or for the opener of files.
 */
#include "base/fd_path.h"

#include <glib.h>

char *fd_path(int fd)
{
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);

	return g_file_read_link(link, NULL);
}

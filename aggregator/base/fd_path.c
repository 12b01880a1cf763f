/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/fd_path.h"

#include <glib.h>

char *fd_path(int fd)
{
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);

	return g_file_read_link(link, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/user/regular_file.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/stat.h>
#include <unistd.h>

/* What it is must be known before it is opened for reading. */
static int open_regular(const char *path, int flags)
{
	g_autofree char *again = NULL;
	struct stat status;
	int found = open(path, O_PATH | O_CLOEXEC | flags);
	int descriptor = -1;

	if (found < 0)
		return -1;
	again = g_strdup_printf("/proc/self/fd/%d", found);
	if (!fstat(found, &status) && S_ISREG(status.st_mode))
		descriptor = open(again, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	close(found);
	return descriptor;
}

int regular_file_open(const char *path)
{
	return open_regular(path, 0);
}

int regular_file_open_no_link(const char *path)
{
	return open_regular(path, O_NOFOLLOW);
}

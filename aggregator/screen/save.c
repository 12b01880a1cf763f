/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/save.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool fail(const char *path, GError **error)
{
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "%s: not written: %s", path,
		    g_strerror(errno));
	return false;
}

bool save_text(const char *path, const char *text, GError **error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
	bool is_written;

	if (!file)
		return fail(path, error);
	is_written = fputs(text, file) >= 0;
	is_written &= !fclose(file);
	return is_written || fail(path, error);
}

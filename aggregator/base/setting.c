/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes one setting of the kernel. It is a file of its own because the watchdog calls it, too: no
 * allocation, no GLib.
 */
#include "base/setting.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

bool setting_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool written;

	if (fd < 0)
		return false;
	written = write(fd, text, strlen(text)) > 0;
	close(fd);
	return written;
}

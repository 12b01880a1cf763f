/* SPDX-License-Identifier: GPL-2.0-or-later */
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

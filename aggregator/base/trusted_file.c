/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_root_only(const struct stat *status)
{
	return !status->st_uid && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* In a sticky folder like /tmp others can add files, but not replace those of root. */
static bool keeps_root_files(const struct stat *status)
{
	return is_root_only(status) ||
	       (!status->st_uid && S_ISDIR(status->st_mode) && (status->st_mode & S_ISVTX));
}

/* Returns 0, or the errno that tells why the file is not read. */
static int refuse(int file, uint64_t bytes_max, bool is_by_root)
{
	struct stat status;

	if (fstat(file, &status))
		return errno;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	if ((uint64_t)status.st_size > bytes_max)
		return EFBIG;
	return is_by_root && !geteuid() && !is_root_only(&status) ? EPERM : 0;
}

int trusted_file_open(const char *path, uint64_t bytes_max, bool is_by_root)
{
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	int reason = file < 0 ? errno : refuse(file, bytes_max, is_by_root);

	if (reason && file >= 0)
		close(file);
	errno = reason;
	return reason ? -1 : file;
}

bool trusted_path_is_root_only(const char *path)
{
	char *place = realpath(path, NULL);
	struct stat status;
	bool is_good = place && !stat(place, &status) && is_root_only(&status);
	bool is_done = !is_good;

	while (!is_done) {
		char *parent = g_path_get_dirname(place);

		is_good = !stat(place, &status) && keeps_root_files(&status);
		is_done = !is_good || !strcmp(place, "/");
		g_free(place);
		place = parent;
	}
	g_free(place);
	return is_good;
}

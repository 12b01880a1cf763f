/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/trusted_file.h"

#include "base/regular_file.h"

#include <errno.h>
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
static int refuse(int file, bool is_by_root)
{
	struct stat status;

	if (!is_by_root || geteuid())
		return 0;
	if (fstat(file, &status))
		return errno;
	return is_root_only(&status) ? 0 : EPERM;
}

int trusted_file_open(const char *path, uint64_t bytes_max, bool is_by_root)
{
	int file = regular_file_open(path, REGULAR_FILE_ANY, bytes_max);
	int reason = file < 0 ? errno : refuse(file, is_by_root);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opens files for all parts of the program that read files: those of the user, and those of
 * strangers. It has no data. A file is first opened as a place (O_PATH), checked by kind, size and
 * owner, and only then opened for reading. All rules about what root may read are in this file.
 */
#include "base/trusted_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Kinds of files. */

/* <linux/magic.h> of older kernels lacks them. */
#ifndef TRACEFS_MAGIC
#define TRACEFS_MAGIC 0x74726163
#endif
#ifndef CGROUP2_SUPER_MAGIC
#define CGROUP2_SUPER_MAGIC 0x63677270
#endif
#ifndef BPF_FS_MAGIC
#define BPF_FS_MAGIC 0xcafe4a11
#endif
#define CONFIGFS_SUPER_MAGIC 0x62656570 /* fs/configfs/mount.c */

/* File systems without stored contents. */
static const uint32_t made_up[] = {
	PROC_SUPER_MAGIC,     SYSFS_MAGIC,         DEBUGFS_MAGIC,  SECURITYFS_MAGIC,
	CGROUP_SUPER_MAGIC,   CGROUP2_SUPER_MAGIC, TRACEFS_MAGIC,  BPF_FS_MAGIC,
	CONFIGFS_SUPER_MAGIC, SELINUX_MAGIC,       EFIVARFS_MAGIC, DEVPTS_SUPER_MAGIC,
	PSTOREFS_MAGIC,
};

static bool is_stored(int file)
{
	struct statfs status;

	if (fstatfs(file, &status))
		return false;
	for (size_t i = 0; i < G_N_ELEMENTS(made_up); i++)
		if ((uint32_t)status.f_type == made_up[i])
			return false;
	return true;
}

/* Returns 0, or the errno that tells why the file is refused. */
static int refuse_kind(int file, unsigned rules, uint64_t bytes_max)
{
	struct stat status;

	if (fstat(file, &status))
		return errno;
	if (!S_ISREG(status.st_mode) || (rules & REGULAR_FILE_STORED && !is_stored(file)))
		return EINVAL;
	return (uint64_t)status.st_size > bytes_max ? EFBIG : 0;
}

static int open_again(int file, int flags)
{
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", file);

	return open(path, flags | O_CLOEXEC);
}

int file_place(int file)
{
	return open_again(file, O_PATH);
}

bool file_is_place(int file)
{
	int flags = fcntl(file, F_GETFL);

	return flags >= 0 && flags & O_PATH;
}

int file_place_open(int place)
{
	return open_again(place, O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

char *fd_path(int fd)
{
	g_autofree char *link = g_strdup_printf("/proc/self/fd/%d", fd);

	return g_file_read_link(link, NULL);
}

/* A file is known before it is opened for reading. */
int regular_file_open(const char *path, unsigned rules, uint64_t bytes_max)
{
	int flags = O_PATH | O_CLOEXEC | (rules & REGULAR_FILE_NO_LINK ? O_NOFOLLOW : 0);
	int found = open(path, flags);
	int reason = found < 0 ? errno : refuse_kind(found, rules, bytes_max);
	int file = reason ? -1 : file_place_open(found);

	if (!reason && file < 0)
		reason = errno;
	if (found >= 0)
		close(found);
	errno = reason;
	return file;
}

char *regular_file_text(const char *path, uint64_t bytes_max)
{
	int file = regular_file_open(path, REGULAR_FILE_ANY, bytes_max);
	g_autofree char *text = file < 0 ? NULL : g_malloc(bytes_max + 1);
	ssize_t length = file < 0 ? -1 : pread(file, text, bytes_max, 0);

	if (file >= 0)
		close(file);
	if (length < 0)
		return NULL;
	text[length] = '\0';
	return g_steal_pointer(&text);
}

/* Owners. */

static bool is_root_only(const struct stat *status)
{
	return !status->st_uid && !(status->st_mode & (S_IWGRP | S_IWOTH));
}

/* Returns 0, or the errno that tells why the file is not read. */
static int refuse_owner(int file, bool is_by_root)
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
	int reason = file < 0 ? errno : refuse_owner(file, is_by_root);

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

		/* In a sticky folder like /tmp others can add files, but not replace those of
		   root. */
		is_good = !stat(place, &status) &&
			  (is_root_only(&status) || (!status.st_uid && S_ISDIR(status.st_mode) &&
						     (status.st_mode & S_ISVTX)));
		is_done = !is_good || !strcmp(place, "/");
		g_free(place);
		place = parent;
	}
	g_free(place);
	return is_good;
}

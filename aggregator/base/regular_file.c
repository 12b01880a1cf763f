/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <glib.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

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
	PROC_SUPER_MAGIC,     SYSFS_MAGIC,	     DEBUGFS_MAGIC,	SECURITYFS_MAGIC,
	CGROUP_SUPER_MAGIC,   CGROUP2_SUPER_MAGIC, TRACEFS_MAGIC,	BPF_FS_MAGIC,
	CONFIGFS_SUPER_MAGIC, SELINUX_MAGIC,	     EFIVARFS_MAGIC,	DEVPTS_SUPER_MAGIC,
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
static int refuse(int file, unsigned rules, uint64_t bytes_max)
{
	struct stat status;

	if (fstat(file, &status))
		return errno;
	if (!S_ISREG(status.st_mode) || (rules & REGULAR_FILE_STORED && !is_stored(file)))
		return EINVAL;
	return (uint64_t)status.st_size > bytes_max ? EFBIG : 0;
}

static int open_again(int file)
{
	g_autofree char *path = g_strdup_printf("/proc/self/fd/%d", file);

	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* A file is known before it is opened for reading. */
int regular_file_open(const char *path, unsigned rules, uint64_t bytes_max)
{
	int flags = O_PATH | O_CLOEXEC | (rules & REGULAR_FILE_NO_LINK ? O_NOFOLLOW : 0);
	int found = open(path, flags);
	int reason = found < 0 ? errno : refuse(found, rules, bytes_max);
	int file = reason ? -1 : open_again(found);

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

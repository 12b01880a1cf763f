/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Asks statvfs() how much room a disk has, and decides when it is nearly full: at 1 %, or at 64 MB
 * if that is less. Recordings end before that; --check looks beforehand.
 */
#include "base/disk_space.h"

#include <fcntl.h>
#include <glib.h>
#include <sys/statvfs.h>
#include <unistd.h>

static const uint64_t disk_bytes_kept = 64 << 20;

bool disk_space_of(int descriptor, DiskSpace *space)
{
	struct statvfs disk;

	if (fstatvfs(descriptor, &disk) || !disk.f_blocks)
		return false;
	space->free_bytes = (uint64_t)disk.f_bavail * disk.f_frsize;
	space->kept_bytes = MIN(disk_bytes_kept, (uint64_t)disk.f_blocks * disk.f_frsize / 100);
	return true;
}

bool disk_space_of_folder(const char *path, DiskSpace *space)
{
	int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool is_known = descriptor >= 0 && disk_space_of(descriptor, space);

	if (descriptor >= 0)
		close(descriptor);
	return is_known;
}

bool disk_space_is_nearly_full(const DiskSpace *space)
{
	return space->free_bytes < space->kept_bytes;
}

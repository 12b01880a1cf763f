/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* The free space on the disk of a file or folder. */
typedef struct {
	uint64_t free_bytes; /* for this user */
	uint64_t kept_bytes; /* reserve that a recording leaves free: 64 MB, on small disks 1 % */
} DiskSpace;

/* Reads the disk space of an open file. Returns false if it is unknown. */
bool disk_space_of(int descriptor, DiskSpace *space);

/* Like disk_space_of(), for a folder. */
bool disk_space_of_folder(const char *path, DiskSpace *space);

/* Whether a recording must end for lack of space. */
bool disk_space_is_nearly_full(const DiskSpace *space);

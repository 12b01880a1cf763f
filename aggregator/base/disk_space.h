/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* What is free on the disk of a file or folder. */
typedef struct {
	uint64_t free_bytes; /* for this user */
	uint64_t kept_bytes; /* that a recording leaves to everybody else: 64 MB, small disks 1 % */
} DiskSpace;

/* Reads the disk space of an open file. Returns false when it is not known. */
bool disk_space_of(int descriptor, DiskSpace *space);

/* The same for a folder. */
bool disk_space_of_folder(const char *path, DiskSpace *space);

/* Whether a recording ends there. */
bool disk_space_is_nearly_full(const DiskSpace *space);

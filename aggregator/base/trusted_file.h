/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Files that a program which may run as root reads: they must not be another user's way in. */

/*
 * Opens a regular file for reading, without waiting for the writer of a pipe. is_by_root: if the
 * caller is root, only root may own the file or be able to write it.
 * Returns the descriptor, owned by the caller, or -1 with errno set: EINVAL if it is no regular
 * file, EFBIG if it has more than bytes_max, EPERM if others than root may have written it.
 */
int trusted_file_open(const char *path, uint64_t bytes_max, bool is_by_root);

/* Whether only root can write a path, and replace it or its parent folders; symbolic links are
   followed. */
bool trusted_path_is_root_only(const char *path);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Files that a program which may run as root reads: they must not be another user's way in. */

/* Files that are refused in addition to those that are not regular. */
typedef enum {
	REGULAR_FILE_ANY = 0,
	REGULAR_FILE_NO_LINK = 1, /* the last part of the path is a symbolic link */
	/* The kernel makes up the contents when they are read (/proc, /sys): reading may wait for
	   ever, or do something. */
	REGULAR_FILE_STORED = 2,
} RegularFileRules;

/*
 * Opens a regular file for reading. Other files are not opened: opening a device may do something,
 * and a pipe may wait for ever. The call does not wait for the holder of a lease, but a file system
 * over a network or of a process may never answer: open files of strangers in another process.
 * rules: bits of RegularFileRules. Returns the descriptor, which the caller closes, or -1 with
 * errno set: EINVAL if the file is of another kind, EFBIG if it has more than bytes_max.
 */
int regular_file_open(const char *path, unsigned rules, uint64_t bytes_max);

/*
 * A place is a descriptor that only names a file (O_PATH), also if the file is renamed or deleted.
 * Closing it asks no file system, unlike closing a file that is open for reading: that waits for
 * the server of a FUSE file.
 */

/* Returns the place of an open file, which the caller closes; -1 with errno set. */
int file_place(int file);

/* Whether a descriptor is a place. */
bool file_is_place(int file);

/* Opens the file of a place for reading. Returns its descriptor, which the caller closes; -1 with
   errno set. */
int file_place_open(int place);

/*
 * Returns where an open file or folder is now, with no symbolic link in the path (/proc/PID/fd,
 * proc(5)), owned by the caller; NULL: it cannot be found out. A file that was removed has
 * " (deleted)" at the end, one that is outside the root folder no slash at the start.
 */
char *fd_path(int fd);

/* Returns the text of a small regular file, terminated and owned by the caller; NULL: it cannot be
   read, or has more than bytes_max. */
char *regular_file_text(const char *path, uint64_t bytes_max);

/*
 * The same, by the file's owner. is_by_root: if the caller is root, only root may own the file or
 * be able to write it.
 * Returns the descriptor, owned by the caller, or -1 with errno set: EINVAL if it is no regular
 * file, EFBIG if it has more than bytes_max, EPERM if others than root may have written it.
 */
int trusted_file_open(const char *path, uint64_t bytes_max, bool is_by_root);

/* Whether only root can write a path, and replace it or its parent folders; symbolic links are
   followed. */
bool trusted_path_is_root_only(const char *path);

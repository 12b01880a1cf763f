/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * PrivateFile is a file that (unless it is public) only its owner may read, and that gets its name
 * only when it is complete: it is written as FILE.part and renamed at the end. Symbolic links are
 * not followed. Under sudo, the file belongs to the user who called sudo.
 */
typedef struct PrivateFile PrivateFile;

/*
 * Creates PATH.part, or returns NULL with error set; G_OPTION_ERROR if the path itself cannot be
 * used. may_replace: replace an existing regular file at the end, instead of failing.
 */
PrivateFile *private_file_create(const char *path, bool may_replace, GError **error);

/*
 * The same for a file that all users may read, and that is written again and again: it replaces an
 * existing regular file, a PATH.part that a killed run left is removed, and it is not synced. After
 * a crash of the host it may be the old file, or empty.
 */
PrivateFile *private_file_create_public(const char *path, GError **error);

/* Whether private_file_create() would succeed; creates nothing. The same errors. */
bool private_file_check(const char *path, bool may_replace, GError **error);

/* The same for private_file_create_public(). */
bool private_file_check_public(const char *path, GError **error);

/* Closes the file; without a commit the data stays in PATH.part. */
void private_file_free(PrivateFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PrivateFile, private_file_free)

/* Returns the descriptor for writing, still owned by the file. */
int private_file_descriptor(const PrivateFile *file);

/* Returns the path of the unfinished file, borrowed. */
const char *private_file_part(const PrivateFile *file);

/* Syncs the data to disk, unless the file is public, and renames the file. */
bool private_file_commit(PrivateFile *file, GError **error);

/* Removes PATH.part, if nothing worth keeping was written. */
void private_file_discard(PrivateFile *file);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * PrivateFile is a file that only its owner may read and that appears under its name when it is
 * whole: written as FILE.part, renamed at the end. No symbolic link is followed to it, and under
 * sudo it belongs to the user who called sudo.
 */
typedef struct PrivateFile PrivateFile;

/*
 * Creates PATH.part, or returns NULL with error set; G_OPTION_ERROR when the path itself cannot be
 * used. may_replace: an existing regular file is replaced at the end instead of being an error.
 */
PrivateFile *private_file_create(const char *path, bool may_replace, GError **error);

/* Whether private_file_create() would create it; creates nothing. The same errors. */
bool private_file_check(const char *path, bool may_replace, GError **error);

/* Closes the file; what was not committed stays as PATH.part. */
void private_file_free(PrivateFile *file);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PrivateFile, private_file_free)

/* Returns the descriptor to write to; it stays the file's. */
int private_file_descriptor(const PrivateFile *file);

/* Returns the path of what was written so far, borrowed. */
const char *private_file_part(const PrivateFile *file);

/* Brings what was written to the disk and gives it its name. */
bool private_file_commit(PrivateFile *file, GError **error);

/* Removes PATH.part: nothing worth keeping was written. */
void private_file_discard(PrivateFile *file);

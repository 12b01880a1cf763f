/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/user/user_map_line.h"

#include <stdbool.h>

/*
 * Reads the build id of an open ELF file of this machine's byte order, from its segments, into
 * buffers of fixed size: for a process that has rights, and so reads no more of a file than needed
 * to know which one it is. Returns false if there is none.
 */
bool elf_build_id_read(int file, UserFileId *id);

/*
 * Opens the file of a mapping for reading: as the process mapped it (/proc/PID/map_files, which
 * works for deleted files and in other mount namespaces, and needs CAP_SYS_ADMIN or, since 5.9,
 * CAP_CHECKPOINT_RESTORE), else by its path for the process, else by its path for us. A file that
 * was found by a path must have the build id of the mapping; if that is unknown, its device and
 * inode. Only regular files are opened: opening a device may do something. /proc and all paths lie
 * below root ("": this host's).
 *
 * Returns the descriptor, which the caller closes; -1: not found, or another file is there now.
 */
int object_open(const char *root, const UserMapLine *mapping);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

#define MAPPED_PATH_LIBC "libc"

/*
 * Returns the path, from here, of the first file of this name that a process has mapped as code;
 * MAPPED_PATH_LIBC: of the C library; also if it was deleted, or is in another mount namespace.
 * process: its folder in /proc. At most 32 MB are read. Returns NULL if there is none; the caller
 * frees it.
 *
 * Only for the process that opens files: the kernel lets a reader wait for the mappings while the
 * process itself waits for a file system, and looks at paths of strangers.
 */
char *mapped_path_find(const char *process, const char *name);

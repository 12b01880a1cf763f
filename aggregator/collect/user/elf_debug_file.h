/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/user/elf_file.h"

/*
 * Opens the separate debug file of a stripped file: by its build id below /usr/lib/debug/.build-id,
 * else by the name in its .gnu_debuglink, in its folder, in .debug there, and in the same folder
 * below /usr/lib/debug. It must have the build id of the file; if that has none, the checksum in
 * .gnu_debuglink.
 *
 * path: where the file was; NULL: unknown. All paths lie below root ("": this host's). Returns the
 * descriptor, which the caller closes; -1: none.
 */
int elf_debug_file_open(const ElfFile *file, const char *path, const char *root);

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

/* Whether an open file has this build id. */
bool elf_build_id_is(int file, const UserFileId *wanted);

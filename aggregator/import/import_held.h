/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "import/import_text.h"

/* Functions shared by the importers of the kernel's own records of held objects. */

/* Appends a frame of a kernel's record, "        foo+0x10/0x20 [ext4]", with one blank before it.
   Returns false, appending nothing, if the line is no frame or the stack is too long. */
bool held_frame_append(GString *stack, const char *line, size_t length);

/* Finds the last occurrence of a text in another; NULL: none. */
const char *held_find_last(const char *text, size_t length, const char *sought);

/* Copies the name of a process, at most KMT_COMM_BYTES, up to its first NUL. */
void held_copy_comm(char *to, const char *name, size_t length);

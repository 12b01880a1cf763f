/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A build id identifies a file and its debug data: bytes that the linker derives from the contents
 * (ELF note NT_GNU_BUILD_ID). As text, it has lower-case hexadecimal digits.
 */

/* Linkers write 8 to 20 bytes; ld's option --build-id=0x... writes any number. */
enum { BUILD_ID_BYTES_MAX = 64 };

/* Whether an untrusted text is a build id: digits only, so that it may be a part of a path, and no
   more than BUILD_ID_BYTES_MAX bytes. */
bool build_id_is_text(TextPart text);

/* Returns a copy of such a text, owned by the caller; NULL: it is no build id. */
char *build_id_copy(TextPart text);

/* Appends a build id as text. */
void build_id_append(GString *out, const void *bytes, size_t length);

/* Returns a build id as text, owned by the caller; NULL if it has no bytes. */
char *build_id_text(const void *bytes, size_t length);

/* Returns where a folder with debug files has that of a build id, "FOLDER/.build-id/ab/cd.debug",
   owned by the caller; NULL: the text, which is untrusted, is no build id or has only one byte. */
char *build_id_debug_path(const char *folder, const char *build_id);

/* Returns the build id in untrusted ELF notes, as text, owned by the caller; NULL: it is not among
   them. */
char *build_id_of_notes(const void *notes, size_t length);

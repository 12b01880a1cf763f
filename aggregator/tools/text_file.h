/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * A TextFile is a file that each new text replaces as a whole: readers find either the old text or
 * the new one. All users may read it. It is written in its own thread, so that a slow disk does not
 * delay the reading of the kernel's records; of the texts that wait for the disk, only the newest
 * is written.
 */
typedef struct TextFile TextFile;

/* Returns NULL with error set if the file could not be written. path is borrowed. */
TextFile *text_file_new(const char *path, GError **error);

/* Takes ownership of the text; frees it with g_free(). If it cannot be written, that is printed on
   stderr once, the old file stays, and the next text is tried. */
void text_file_give(TextFile *file, char *text);

/* Writes the waiting text, and frees the file. Returns false with error set if the last text was
   not written. */
bool text_file_finish(TextFile *file, GError **error);

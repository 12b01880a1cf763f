/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

/*
 * A TextWriter writes texts to stdout in its own thread, so that a slow reader or a full pipe does
 * not delay the reading of the kernel's records.
 */
typedef struct TextWriter TextWriter;

/* may_wait: text_writer_give() and text_writer_finish() wait for a slow reader, for example when
   reading a file. Otherwise text that waits too long is dropped and replaced by a note. what: a
   text in messages, as "table"; borrowed. */
TextWriter *text_writer_new(bool may_wait, const char *what);

/* Takes ownership of the text; frees it with g_free(). */
void text_writer_give(TextWriter *writer, char *text);

/* Returns a stream for a large text, which is written in pieces. The caller closes it. */
FILE *text_writer_open(TextWriter *writer);

/* Whether texts are still waiting for a slow reader. Then the next text counts as dropped: the
   caller does not give it. */
bool text_writer_skips(TextWriter *writer);

/* Whether the reader has closed the pipe, or writing failed: nothing is written from then on. */
bool text_writer_has_ended(TextWriter *writer);

/* Writes the waiting text, for at most some seconds if the reader is slow, and frees the writer.
   Returns false with error set unless everything was written. A reader that has closed the pipe is
   not an error. */
bool text_writer_finish(TextWriter *writer, GError **error);

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

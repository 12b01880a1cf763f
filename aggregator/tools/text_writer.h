/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * A TextWriter writes texts to stdout in its own thread, so that a slow reader or a full pipe does
 * not delay the reading of the kernel's records.
 */
typedef struct TextWriter TextWriter;

/* may_wait: text_writer_give() waits for a slow reader, for example when reading a file. Otherwise
   text that waits too long is dropped and replaced by a note. */
TextWriter *text_writer_new(bool may_wait);

/* Takes ownership of the text; frees it with g_free(). */
void text_writer_give(TextWriter *writer, char *text);

/* Whether the reader has closed the pipe, or writing failed: nothing is written from then on. */
bool text_writer_has_ended(TextWriter *writer);

/* Writes the waiting text, for at most some seconds if the reader is slow, and frees the writer.
   Returns false with error set unless everything was written. A reader that has closed the pipe is
   not an error. */
bool text_writer_finish(TextWriter *writer, GError **error);

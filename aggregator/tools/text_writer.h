/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * A TextWriter writes texts to stdout from a thread of its own: a reader that is slow, or a pipe
 * that is full, must not keep anybody from reading the kernel's records.
 */
typedef struct TextWriter TextWriter;

/* may_wait: text_writer_give() waits for a slow reader, as where a file is read. Else text that the
   reader leaves for too long is dropped, and a note takes its place. */
TextWriter *text_writer_new(bool may_wait);

/* Takes over the text, which g_free() frees. */
void text_writer_give(TextWriter *writer, char *text);

/* Whether the reader has left, or writing failed: nothing is written from then on. */
bool text_writer_has_ended(TextWriter *writer);

/* Writes what waits, at most for some seconds when the reader does not take it, and frees the
   writer. Returns false with error set unless everything was written; a reader that left is no
   error. */
bool text_writer_finish(TextWriter *writer, GError **error);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdio.h>

/* A file in memory. Without memory, the program ends (base/out_of_memory.c): no text is cut. */
typedef struct {
	FILE *out; /* to write to */
	char *text;
	size_t bytes;
} TextStream;

/* The stream may not be moved until it is closed. */
static inline void text_stream_open(TextStream *stream)
{
	*stream = (TextStream){ .text = NULL };
	stream->out = open_memstream(&stream->text, &stream->bytes);
	if (!stream->out)
		g_error("failed to allocate the memory of a text");
}

/* Returns the whole text; the caller frees it with free(). */
static inline char *text_stream_close(TextStream *stream)
{
	bool is_cut = ferror(stream->out);

	is_cut |= fclose(stream->out) != 0;
	if (is_cut || !stream->text)
		g_error("failed to allocate the memory of a text");
	return stream->text;
}

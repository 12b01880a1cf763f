/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stddef.h>

/*
 * FrameWriter compresses a stream into zstd frames. Without zstd, it passes the stream on
 * unchanged: a plain stream is a valid recording.
 */
typedef struct FrameWriter FrameWriter;

/* Takes the bytes to write to the file. */
typedef void (*FrameSink)(const void *bytes, size_t length, void *user_data);

/* Returns a new one; free it with frame_writer_free(). */
FrameWriter *frame_writer_new(FrameSink sink, void *user_data);
void frame_writer_free(FrameWriter *writer);

/* Adds to the open frame; the sink may get the bytes later. */
void frame_writer_add(FrameWriter *writer, const void *bytes, size_t length);

/* Ends the frame: the sink has then received everything. */
void frame_writer_end(FrameWriter *writer);

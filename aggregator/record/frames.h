/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stddef.h>

/*
 * FrameWriter compresses a stream into zstd frames. Built without zstd it passes the stream on as
 * it is: a plain stream is a recording, too.
 */
typedef struct FrameWriter FrameWriter;

/* Takes what is to be written to the file. */
typedef void (*FrameSink)(const void *bytes, size_t length, void *user_data);

FrameWriter *frame_writer_new(FrameSink sink, void *user_data);
void frame_writer_free(FrameWriter *writer);

/* Adds to the frame that is open; the sink may or may not see it at once. */
void frame_writer_add(FrameWriter *writer, const void *bytes, size_t length);

/* Ends the frame: the sink has now seen everything. */
void frame_writer_end(FrameWriter *writer);

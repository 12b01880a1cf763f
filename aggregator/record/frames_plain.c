/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and compressed recordings, for builds without zstd: frames pass through, and compressed
 * recordings are refused with a remedy. Built instead of frames_zstd.c.
 */
#include "config.h"

#ifndef HAVE_ZSTD

#include "record/frames.h"
#include "record/recording.h"

#include <gio/gio.h>

struct FrameWriter {
	FrameSink sink;
	void *user_data;
};

FrameWriter *frame_writer_new(FrameSink sink, void *user_data)
{
	FrameWriter *writer = g_new0(FrameWriter, 1);

	writer->sink = sink;
	writer->user_data = user_data;
	return writer;
}

void frame_writer_free(FrameWriter *writer)
{
	g_free(writer);
}

void frame_writer_add(FrameWriter *writer, const void *bytes, size_t length)
{
	writer->sink(bytes, length, writer->user_data);
}

void frame_writer_end(FrameWriter *writer)
{
	(void)writer;
}

RecordingReader *recording_reader_new(RecordingSink sink, void *user_data, GError **error)
{
	(void)sink;
	(void)user_data;
	g_set_error_literal(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
			    "this build reads no compressed recordings: "
			    "decompress it first, with 'zstd -d --stdout FILE | kmalloc-top -i -'");
	return NULL;
}

void recording_reader_free(RecordingReader *reader)
{
	(void)reader;
}

void recording_reader_feed(RecordingReader *reader, const void *bytes, size_t length)
{
	(void)reader;
	(void)bytes;
	(void)length;
}

bool recording_reader_is_complete(const RecordingReader *reader)
{
	(void)reader;
	return false;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames and compressed recordings. With zstd: one context and one buffer for each direction. A
 * damaged frame is given up, and reading continues at the next frame's magic number. Without zstd,
 * frames pass through, and compressed recordings are refused with a remedy. recording.c writes
 * through it, input.c reads.
 */
#include "config.h"

#include "record/frames.h"

#include "record/recording.h"

#include <gio/gio.h>

#ifdef HAVE_ZSTD

#include <zstd.h>
#include <zstd_errors.h>

/* The window of a frame takes memory of the reader. Without --ultra and --long, zstd's windows are
   at most 8 MB. */
enum { WINDOW_LOG_MAX = 23 };
enum { LEVEL = 1 }; /* must keep up with the kernel; higher levels gain little */

/* Ends the program as GLib does when it has no memory (base/out_of_memory.c). */
static void G_GNUC_NORETURN end_without_memory(void)
{
	g_error("failed to allocate the memory of zstd");
}

struct FrameWriter {
	FrameSink sink;
	void *user_data;
	ZSTD_CCtx *context;
	size_t buffer_bytes;
	uint8_t *buffer;
};

FrameWriter *frame_writer_new(FrameSink sink, void *user_data)
{
	FrameWriter *writer = g_new0(FrameWriter, 1);

	writer->sink = sink;
	writer->user_data = user_data;
	writer->context = ZSTD_createCCtx();
	if (!writer->context)
		end_without_memory();
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, LEVEL);
	/* Checksums: a damaged frame is detected, and its events do not count. */
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_checksumFlag, 1);
	writer->buffer_bytes = ZSTD_CStreamOutSize();
	writer->buffer = g_malloc(writer->buffer_bytes);
	return writer;
}

void frame_writer_free(FrameWriter *writer)
{
	ZSTD_freeCCtx(writer->context);
	g_free(writer->buffer);
	g_free(writer);
}

static void frames_compress(FrameWriter *writer, ZSTD_inBuffer *in, ZSTD_EndDirective directive)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { writer->buffer, writer->buffer_bytes, 0 };

		left = ZSTD_compressStream2(writer->context, &out, in, directive);
		if (ZSTD_isError(left))
			end_without_memory();
		if (out.pos)
			writer->sink(writer->buffer, out.pos, writer->user_data);
	} while (in->pos < in->size || (directive == ZSTD_e_end && left));
}

void frame_writer_add(FrameWriter *writer, const void *bytes, size_t length)
{
	ZSTD_inBuffer in = { bytes, length, 0 };

	frames_compress(writer, &in, ZSTD_e_continue);
}

void frame_writer_end(FrameWriter *writer)
{
	ZSTD_inBuffer in = { NULL, 0, 0 };

	frames_compress(writer, &in, ZSTD_e_end);
}

struct RecordingReader {
	RecordingSink sink;
	void *user_data;
	ZSTD_DCtx *context;
	bool damaged;
	bool searching; /* for the start of a frame, after damage */
	bool between_frames;
	size_t buffer_bytes;
	uint8_t *buffer;
};

RecordingReader *recording_reader_new(RecordingSink sink, void *user_data, GError **error)
{
	RecordingReader *reader = g_new0(RecordingReader, 1);

	(void)error;
	reader->sink = sink;
	reader->user_data = user_data;
	reader->context = ZSTD_createDCtx();
	if (!reader->context)
		end_without_memory();
	ZSTD_DCtx_setParameter(reader->context, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	reader->between_frames = true;
	reader->buffer_bytes = ZSTD_DStreamOutSize();
	reader->buffer = g_malloc(reader->buffer_bytes);
	return reader;
}

void recording_reader_free(RecordingReader *reader)
{
	if (!reader)
		return;
	ZSTD_freeDCtx(reader->context);
	g_free(reader->buffer);
	g_free(reader);
}

/* Returns whether the current input has more output. */
static bool frames_decompress(RecordingReader *reader, ZSTD_inBuffer *in)
{
	ZSTD_outBuffer out = { reader->buffer, reader->buffer_bytes, 0 };
	size_t before = in->pos;
	size_t wanted = ZSTD_decompressStream(reader->context, &out, in);

	if (out.pos)
		reader->sink(reader->buffer, out.pos, reader->user_data);
	reader->between_frames = wanted == 0;
	if (ZSTD_getErrorCode(wanted) == ZSTD_error_memory_allocation)
		end_without_memory();
	if (ZSTD_isError(wanted)) {
		reader->damaged = reader->searching = true;
		ZSTD_DCtx_reset(reader->context, ZSTD_reset_session_only);
		in->pos = MAX(in->pos, MIN(before + 1, in->size));
		return in->pos < in->size;
	}
	/* With a full output buffer, there may be more output than remaining input. */
	return in->pos < in->size || (out.pos == out.size && wanted);
}

void recording_reader_feed(RecordingReader *reader, const void *bytes, size_t length)
{
	ZSTD_inBuffer in = { bytes, length, 0 };
	const uint8_t *from = bytes;
	bool more = length > 0;

	while (more) {
		/* To where the next frame may begin. Misses a magic number that is split between
		   two chunks, and finds the frame after it. */
		while (reader->searching && in.pos < length &&
		       !recording_recognises(from + in.pos, length - in.pos))
			in.pos++;
		reader->searching &= in.pos == length;
		more = !reader->searching && frames_decompress(reader, &in);
	}
}

bool recording_reader_is_complete(const RecordingReader *reader)
{
	return !reader->damaged && reader->between_frames;
}

#else

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames and compressed recordings with zstd. */
#include "config.h"

#ifdef HAVE_ZSTD

#include "record/frames.h"
#include "record/recording.h"

#include <gio/gio.h>
#include <zstd.h>

enum { LEVEL = 1 }; /* the collector must keep up with the kernel; higher levels gain little */

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
	ZSTD_CCtx_setParameter(writer->context, ZSTD_c_compressionLevel, LEVEL);
	/* A damaged frame is then found out, not counted. */
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

static void compress(FrameWriter *writer, ZSTD_inBuffer *in, ZSTD_EndDirective directive)
{
	size_t left;

	do {
		ZSTD_outBuffer out = { writer->buffer, writer->buffer_bytes, 0 };

		left = ZSTD_compressStream2(writer->context, &out, in, directive);
		g_assert(!ZSTD_isError(left));
		if (out.pos)
			writer->sink(writer->buffer, out.pos, writer->user_data);
	} while (in->pos < in->size || (directive == ZSTD_e_end && left));
}

void frame_writer_add(FrameWriter *writer, const void *bytes, size_t length)
{
	ZSTD_inBuffer in = { bytes, length, 0 };

	compress(writer, &in, ZSTD_e_continue);
}

void frame_writer_end(FrameWriter *writer)
{
	ZSTD_inBuffer in = { NULL, 0, 0 };

	compress(writer, &in, ZSTD_e_end);
}

struct RecordingReader {
	RecordingSink sink;
	void *user_data;
	ZSTD_DCtx *context;
	bool damaged;
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

bool recording_reader_feed(RecordingReader *reader, const void *bytes, size_t length)
{
	ZSTD_inBuffer in = { bytes, length, 0 };
	bool more = length > 0;

	while (more && !reader->damaged) {
		ZSTD_outBuffer out = { reader->buffer, reader->buffer_bytes, 0 };
		size_t wanted = ZSTD_decompressStream(reader->context, &out, &in);

		reader->damaged = ZSTD_isError(wanted);
		if (out.pos)
			reader->sink(reader->buffer, out.pos, reader->user_data);
		reader->between_frames = wanted == 0;
		/* A full buffer means that there may be more output than input was left. */
		more = in.pos < in.size || (out.pos == out.size && wanted);
	}
	return !reader->damaged;
}

bool recording_reader_is_complete(const RecordingReader *reader)
{
	return !reader->damaged && reader->between_frames;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A compressed recording: its frames, and the stream in them. What is compressed again is read
 * again.
 */
#include "fuzz/fuzz.h"
#include "record/frames.h"
#include "record/recording.h"

#include <stdlib.h>
#include <string.h>

enum { MEMORY_BYTES = 1 << 20, STREAM_BYTES_MAX = 1 << 20 };

typedef struct {
	Session *session;
	GByteArray *stream; /* up to STREAM_BYTES_MAX */
	size_t bytes;
} Sink;

/* A small file may hold gigabytes, which take time but show nothing new. */
static void take(const void *bytes, size_t length, void *user_data)
{
	Sink *sink = user_data;

	if (sink->bytes < STREAM_BYTES_MAX) {
		session_feed(sink->session, bytes, length);
		g_byte_array_append(sink->stream, bytes, (guint)length);
	}
	sink->bytes += length;
}

/* A RecordingSink and a FrameSink. */
static void append(const void *bytes, size_t length, void *user_data)
{
	g_byte_array_append(user_data, bytes, (guint)length);
}

static void expect_same_again(const GByteArray *stream)
{
	g_autoptr(GByteArray) frames = g_byte_array_new();
	g_autoptr(GByteArray) again = g_byte_array_new();
	g_autoptr(RecordingReader) reader = recording_reader_new(append, again, NULL);
	FrameWriter *writer = frame_writer_new(append, frames);

	frame_writer_add(writer, stream->data, stream->len);
	frame_writer_end(writer);
	frame_writer_free(writer);
	if (!reader)
		return;
	recording_reader_feed(reader, frames->data, frames->len);
	if (!recording_reader_is_complete(reader) || again->len != stream->len ||
	    (stream->len && memcmp(again->data, stream->data, stream->len)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	g_autoptr(GByteArray) stream = g_byte_array_new();
	Sink sink = { session, stream, 0 };
	g_autoptr(RecordingReader) reader = recording_reader_new(take, &sink, NULL);
	size_t chunk = fuzz_chunk_bytes(size);

	for (size_t at = 0; reader && at < size && sink.bytes < STREAM_BYTES_MAX; at += chunk)
		recording_reader_feed(reader, data + at, MIN(chunk, size - at));
	session->cut_short = reader && !recording_reader_is_complete(reader);
	session_finish(session);
	expect_same_again(stream);
	fuzz_report(session);
	return 0;
}

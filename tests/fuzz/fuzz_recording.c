/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A compressed recording: its frames, and the stream in them. */
#include "fuzz/fuzz.h"
#include "record/recording.h"

enum { MEMORY_BYTES = 1 << 20, STREAM_BYTES_MAX = 1 << 20 };

typedef struct {
	Session *session;
	size_t bytes;
} Sink;

/* A small file may hold gigabytes, which take time but show nothing new. */
static void take(const void *bytes, size_t length, void *user_data)
{
	Sink *sink = user_data;

	if (sink->bytes < STREAM_BYTES_MAX)
		session_feed(sink->session, bytes, length);
	sink->bytes += length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(Session) session = session_new(MEMORY_BYTES);
	Sink sink = { session, 0 };
	g_autoptr(RecordingReader) reader = recording_reader_new(take, &sink, NULL);
	size_t chunk = fuzz_chunk_bytes(size);

	for (size_t at = 0; reader && at < size && sink.bytes < STREAM_BYTES_MAX; at += chunk)
		recording_reader_feed(reader, data + at, MIN(chunk, size - at));
	session->cut_short = reader && !recording_reader_is_complete(reader);
	session_finish(session);
	fuzz_report(session);
	return 0;
}

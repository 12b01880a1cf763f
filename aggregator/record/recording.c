/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A recording that is being written: the file, the open frame, and the bounds of its size and of
 * the disk. Frames end by size and time, so a kill loses at most the last second. An error of
 * writing is kept and reported at the end; counting goes on. session/recorder.c passes it the
 * batches.
 */
#include "config.h"

#include "record/recording.h"

#include "record/batch.h"
#include "record/frames.h"
#include "base/private_file.h"

#include <errno.h>
#include <gio/gio.h>
#include <string.h>
#include <unistd.h>

enum {
	FRAME_BYTES_MAX = 4 << 20, /* of the stream */
	FRAME_US_MAX = G_USEC_PER_SEC,
};

struct Recording {
	PrivateFile *file;   /* NULL: a stream to a borrowed descriptor */
	FrameWriter *frames; /* NULL for a stream: not compressed */
	int fd;
	uint64_t bytes_max;
	uint64_t bytes_written;
	size_t frame_bytes; /* bytes of the stream in the open frame */
	int64_t frame_start_us;
	bool frame_describes; /* no events in it so far */
	int write_error;      /* errno: writing has failed */
	char *problem;
};

static const char *recording_name(const Recording *recording)
{
	return recording->file ? private_file_part(recording->file) : "to standard output";
}

static void set_problem(Recording *recording, char *problem)
{
	if (recording->problem)
		g_free(problem);
	else
		recording->problem = problem;
}

static char *write_problem(const Recording *recording)
{
	if (recording_reader_left(recording))
		return g_strdup("whoever read the stream has left");
	return g_strdup_printf("recording %s: %s", recording_name(recording),
			       g_strerror(recording->write_error));
}

/* A FrameSink. */
static void write_out(const void *bytes, size_t length, void *user_data)
{
	Recording *recording = user_data;
	const uint8_t *at = bytes;

	while (length && !recording->write_error) {
		ssize_t written = write(recording->fd, at, length);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			recording->write_error = errno;
			set_problem(recording, write_problem(recording));
			return;
		}
		at += written;
		length -= (size_t)written;
		recording->bytes_written += (uint64_t)written;
	}
}

Recording *recording_create(const char *path, uint64_t bytes_max, GError **error)
{
	Recording *recording;
	PrivateFile *file = private_file_create(path, false, error);

	if (!file)
		return NULL;
	recording = g_new0(Recording, 1);
	recording->file = file;
	recording->fd = private_file_descriptor(file);
	recording->bytes_max = bytes_max;
	recording->frames = frame_writer_new(write_out, recording);
	return recording;
}

Recording *recording_to_stream(int fd)
{
	Recording *recording = g_new0(Recording, 1);

	recording->fd = fd;
	return recording;
}

void recording_free(Recording *recording)
{
	if (!recording)
		return;
	g_clear_pointer(&recording->frames, frame_writer_free);
	g_clear_pointer(&recording->file, private_file_free);
	g_free(recording->problem);
	g_free(recording);
}

static void check_bounds(Recording *recording)
{
	DiskSpace space;

	if (recording->problem)
		return;
	if (recording->bytes_written >= recording->bytes_max)
		set_problem(recording, g_strdup("the recording reached --record-max"));
	else if (disk_space_of(recording->fd, &space) && disk_space_is_nearly_full(&space))
		set_problem(recording, g_strdup("the recording's disk is nearly full"));
}

static void end_frame(Recording *recording)
{
	if (!recording->frame_bytes)
		return;
	frame_writer_end(recording->frames);
	recording->frame_bytes = 0;
	check_bounds(recording);
}

void recording_add_batch(const Batch *batch, void *user_data)
{
	Recording *recording = user_data;
	uint32_t length = batch->header.batch_bytes;

	if (recording->write_error)
		return;
	if (!recording->file) {
		write_out(batch->bytes, length, recording);
		return;
	}
	/* Symbols and modules get frames of their own, to stay readable if events are damaged. */
	if (recording->frame_describes && batch_has_events(batch))
		end_frame(recording);
	recording->frame_describes =
		!batch_has_events(batch) && (recording->frame_describes || !recording->frame_bytes);
	if (!recording->frame_bytes)
		recording->frame_start_us = g_get_monotonic_time();
	frame_writer_add(recording->frames, batch->bytes, length);
	recording->frame_bytes += length;
	if (recording->frame_bytes >= FRAME_BYTES_MAX)
		end_frame(recording);
	else if (recording->bytes_written >= recording->bytes_max)
		check_bounds(recording);
}

void recording_add_bytes(Recording *recording, const void *bytes, size_t length)
{
	if (recording->write_error)
		return;
	if (!recording->frame_bytes)
		recording->frame_start_us = g_get_monotonic_time();
	frame_writer_add(recording->frames, bytes, length);
	recording->frame_bytes += length;
}

void recording_add_frames(Recording *recording, const void *frames, size_t length)
{
	end_frame(recording);
	write_out(frames, length, recording);
}

uint64_t recording_bytes(const Recording *recording)
{
	return recording->bytes_written;
}

void recording_flush(Recording *recording)
{
	end_frame(recording);
}

void recording_tick(Recording *recording)
{
	/* The caller's second is not exact. */
	if (g_get_monotonic_time() - recording->frame_start_us > FRAME_US_MAX / 2)
		end_frame(recording);
}

const char *recording_problem(const Recording *recording)
{
	return recording->problem;
}

const char *recording_part(const Recording *recording)
{
	return recording->file ? private_file_part(recording->file) : NULL;
}

bool recording_reader_left(const Recording *recording)
{
	return recording->write_error == EPIPE;
}

bool recording_close(Recording *recording, GError **error)
{
	end_frame(recording);
	if (!recording->write_error)
		return !recording->file || private_file_commit(recording->file, error);
	g_set_error(error, G_IO_ERROR, g_io_error_from_errno(recording->write_error),
		    "the recording stays unfinished: %s: %s", recording_name(recording),
		    g_strerror(recording->write_error));
	return false;
}

bool recording_recognises(const void *bytes, size_t length)
{
	static const uint8_t magic[] = { 0x28, 0xb5, 0x2f, 0xfd };

	return length >= sizeof(magic) && !memcmp(bytes, magic, sizeof(magic));
}

void recording_discard(Recording *recording)
{
	if (recording->file)
		private_file_discard(recording->file);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A recording is the record stream in a file (.kmr): every whole batch as received, compressed as
 * consecutive zstd frames, or plain if the program was built without zstd.
 *
 * A frame ends after a few MiB and at the latest after a second, so that a truncated recording can
 * be read nearly to its end.
 */
typedef struct Recording Recording;

/*
 * Begins the recording PATH, written as PATH.part until recording_close(). bytes_max limits the
 * file size. Returns NULL with error set; G_OPTION_ERROR if the path cannot be used.
 */
Recording *recording_create(const char *path, uint64_t bytes_max, GError **error);

/* Writes the plain stream to a descriptor, without compression or size limit. The caller keeps
   ownership of the descriptor. */
Recording *recording_to_stream(int fd);

/* Frees the recording without closing it: PATH.part stays, unless it was discarded. */
void recording_free(Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recording, recording_free)

/* Adds a batch. Serves as a Session's tap, with the Recording as user data. */
void recording_add_batch(const Batch *batch, void *user_data);

/* Adds whole batches as bytes of the stream. */
void recording_add_bytes(Recording *recording, const void *bytes, size_t length);

/* Adds batches that a FrameWriter of this build has compressed already. */
void recording_add_frames(Recording *recording, const void *frames, size_t length);

/* Returns the bytes written to the file so far. */
uint64_t recording_bytes(const Recording *recording);

/* Ends the open frame, so that what was added so far is in the file. */
void recording_flush(Recording *recording);

/* Ends a frame that is a second old. Call this about once a second. */
void recording_tick(Recording *recording);

/* Returns why the run should end (size limit, full disk), or NULL; borrowed. Batches after the size
   limit are still recorded: the last batches of the run complete the recording. */
const char *recording_problem(const Recording *recording);

/* Whether the stream's reader has closed its end: nothing more can be written. */
bool recording_reader_left(const Recording *recording);

/* Returns the path of the unfinished file; borrowed. NULL after closing, and for a stream. */
const char *recording_part(const Recording *recording);

/* Writes the remaining data and renames the file to PATH. */
bool recording_close(Recording *recording, GError **error);

/* Removes the file, if nothing was collected. */
void recording_discard(Recording *recording);

/* Takes the bytes of a stream. */
typedef void (*RecordingSink)(const void *bytes, size_t length, void *user_data);

/* RecordingReader decompresses a recording into its stream. */
typedef struct RecordingReader RecordingReader;

/* Whether length bytes look like the start of a compressed recording. */
bool recording_recognises(const void *bytes, size_t length);

/* Returns a reader, or NULL with error set if this build cannot decompress. */
RecordingReader *recording_reader_new(RecordingSink sink, void *user_data, GError **error);
void recording_reader_free(RecordingReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingReader, recording_reader_free)

/* Reads the next bytes of the file. The sink gets the readable part of a damaged frame; reading
   continues with the next frame. */
void recording_reader_feed(RecordingReader *reader, const void *bytes, size_t length);

/* Whether the bytes so far end at the end of a frame, and no frame was damaged. */
bool recording_reader_is_complete(const RecordingReader *reader);

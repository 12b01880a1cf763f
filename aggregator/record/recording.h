/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/batch_reader.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A recording is the record stream in a file (.kmr): every whole batch as it came, compressed as
 * zstd frames one after the other, or plain where the program was built without zstd.
 *
 * A frame is ended every few MiB and at least every second, so that a recording that was cut
 * off anywhere can be read nearly to its end.
 */
typedef struct Recording Recording;

/*
 * Begins the recording PATH, written as PATH.part until recording_close(). bytes_max bounds the
 * file. Returns NULL with error set; G_OPTION_ERROR when the path cannot be used.
 */
Recording *recording_create(const char *path, uint64_t bytes_max, GError **error);

/* Begins a recording that is the stream itself, without compression or bound, written to a
   descriptor that stays the caller's. */
Recording *recording_to_stream(int fd);

/* Ends without closing: PATH.part stays, unless it was discarded. */
void recording_free(Recording *recording);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recording, recording_free)

/* Adds a batch; a Session's tap with the Recording as its user data. */
void recording_add_batch(const Batch *batch, void *user_data);

/* Ends a frame that is a second old. To be called about once a second. */
void recording_tick(Recording *recording);

/* Returns why the run should end (the bound, a disk that is full), or NULL; borrowed. What comes
   after a bound is still recorded: the run's last batches close it in order. */
const char *recording_problem(const Recording *recording);

/* Whether the stream's reader has closed its end, so that nothing more can be written. */
bool recording_reader_left(const Recording *recording);

/* Returns the path of the file as long as it is not closed; borrowed. NULL with a stream. */
const char *recording_part(const Recording *recording);

/* Writes what is left and gives the file its name. */
bool recording_close(Recording *recording, GError **error);

/* Removes the file: nothing was collected. */
void recording_discard(Recording *recording);

/* Takes the bytes of a stream. */
typedef void (*RecordingSink)(const void *bytes, size_t length, void *user_data);

/* RecordingReader gives the stream back that a compressed recording holds. */
typedef struct RecordingReader RecordingReader;

/* Whether length bytes look like the start of a compressed recording. */
bool recording_recognises(const void *bytes, size_t length);

/* Returns a reader, or NULL with error set where this build cannot decompress. */
RecordingReader *recording_reader_new(RecordingSink sink, void *user_data, GError **error);
void recording_reader_free(RecordingReader *reader);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RecordingReader, recording_reader_free)

/* Reads the next bytes of the file. A damaged frame is given to the sink as far as it can be read;
   reading goes on with the next one. */
void recording_reader_feed(RecordingReader *reader, const void *bytes, size_t length);

/* Whether the bytes so far end where a frame ends, and none was damaged. */
bool recording_reader_is_complete(const RecordingReader *reader);

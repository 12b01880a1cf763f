/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/recording.h"
#include "session/session.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * StreamState remembers of a live stream what a reader has to know before it can read on from any
 * later batch. A recording may then begin in the middle of a run: with this state, then the batches
 * from there on (RECORD_FORMAT.md, "Pieces").
 *
 * Most of the state is in the Session. StreamState keeps the texts that a Session stores in another
 * form, compressed: symbols of the kernel and of the newest modules, and the probe points.
 */
typedef struct StreamState StreamState;

/* Returns a state without texts. The session is borrowed. */
StreamState *stream_state_new(const Session *session);
void stream_state_free(StreamState *state);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(StreamState, stream_state_free)

/* Takes every batch of the stream, after the session. */
void stream_state_take(StreamState *state, const Batch *batch);

/* Returns from when on events will follow: no later batch has an earlier one. Not before the start
   of the window so far. */
uint64_t stream_state_start_ns(const StreamState *state);

/* Writes the state to a recording that is to begin here, at begun_ns. Its window begins at
   start_ns, which is not before stream_state_start_ns(). */
void stream_state_write(StreamState *state, Recording *recording, uint64_t start_ns,
			uint64_t begun_ns);

/* Lets the facts that are counted from the start of the run begin at 0 from now on. */
void stream_state_rebase(StreamState *state);

/* Subtracts from such facts in batches of the kind KMT_BATCH_INFO what they had when they began at
   0. bytes: whole batches in this machine's byte order; others are not changed. */
void stream_state_adjust(const StreamState *state, uint8_t *bytes, size_t length);

/* Whether stream_state_adjust() may change this batch. */
bool stream_state_adjusts(const StreamState *state, const Batch *batch);

/*
 * Recorder writes the batches of a live session into a file; or into a row of files, of which it
 * keeps the last ones: a flight recorder. Each of these pieces is a recording that can be read
 * alone: it begins with the state of the stream, and its counters of events begin at 0. Each event,
 * received or lost, is in one piece; but of a stream for pairing, those between the windows of
 * two pieces do not count.
 *
 * The pieces of NAME.kmr are NAME.000001.kmr, NAME.000002.kmr ... The numbers of earlier runs are
 * continued, and their pieces count as pieces of this one.
 */
typedef struct Recorder Recorder;

typedef struct {
	const char *path;   /* borrowed; "-": the plain stream to standard output */
	uint64_t bytes_max; /* of the file or of a piece, about */
	unsigned pieces;    /* to keep, with the open one; 0: one file */
	uint64_t piece_ns;  /* a piece ends after this time, too; 0: only by its size */
} RecorderPlan;

/* Begins a recording of the session, which is borrowed. Returns NULL with error set;
   G_OPTION_ERROR if the path cannot be used. */
Recorder *recorder_new(const RecorderPlan *plan, Session *session, GError **error);

/* Ends recording. A file that was neither closed nor discarded stays as FILE.part. */
void recorder_free(Recorder *recorder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Recorder, recorder_free)

/* Whether a piece should end. Call this from the time on when the run counts. */
bool recorder_is_due(Recorder *recorder, uint64_t now_ns);

/* What only the caller knows where one piece ends and the next one begins. */
typedef struct {
	uint64_t now_ns;          /* no event so far is later */
	const GByteArray *ends;   /* batches for the end of the piece: readings of the host */
	const GByteArray *begins; /* batches for the start of the next one */
} RecorderEdge;

/*
 * Begins the next piece, then closes the open one and deletes the oldest, both in a thread: they
 * wait for the disk. If that is not possible, the open piece goes on, and recorder_problem() says
 * why.
 *
 * Of a stream for pairing (KMT_FIELD_HELD), the first call ends the window of the open piece only:
 * frees up to then are still to come. recorder_is_due() says when to call it again.
 */
void recorder_rotate(Recorder *recorder, const RecorderEdge *edge);

/* As the functions of a Recording. */
void recorder_tick(Recorder *recorder);
const char *recorder_problem(const Recorder *recorder);
bool recorder_reader_left(const Recorder *recorder);
const char *recorder_part(const Recorder *recorder);
void recorder_discard(Recorder *recorder);

/* Completes the open piece. Returns false with error set if that one or one before it could not be
   completed, or the oldest one not be deleted. */
bool recorder_close(Recorder *recorder, GError **error);

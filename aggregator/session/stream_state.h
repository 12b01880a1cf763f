/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/recording.h"
#include "session/session.h"

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

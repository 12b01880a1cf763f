/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/state.h"

/*
 * The replay of a recording: which of its intervals the screen shows. Earlier intervals come from
 * the tape. A replay that has fallen behind the newest interval plays the tape at its own speed.
 */

/* Takes ownership of the next table, of a recording or of a live run. */
void replay_take_table(ScreenState *state, RateTable *table);

/* All tables have come. */
void replay_end(ScreenState *state);

/* Stops the display and the reading, or continues from the shown interval. */
void replay_pause(ScreenState *state, bool is_paused);

/* Each of these pauses. The next interval is read if it is not on the tape. */
void replay_step_back(ScreenState *state);
void replay_step_forward(ScreenState *state);
void replay_to_start(ScreenState *state);

/* Shows the newest interval, and reads the rest of the recording without waiting. */
void replay_to_end(ScreenState *state);

/* Shows the next interval of the tape if it is due. Returns whether it changed the display. */
bool replay_tick(ScreenState *state, gint64 now_us);

/* Appends the position in the recording: "interval 3 of 12"; nothing before the first table. */
void replay_append_position(GString *out, const ScreenState *state);

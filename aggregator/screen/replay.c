/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which interval of a recording is shown: position on the tape, pause, steps and pace. Works on the
 * screen's state.
 */
#include "screen/replay.h"

static guint replay_newest(const ScreenState *state)
{
	return tape_length(state->tape) - 1;
}

static bool is_behind(const ScreenState *state)
{
	return tape_length(state->tape) && state->position < replay_newest(state);
}

static uint64_t span_ns(const RateTable *table)
{
	return table->end_ns - table->start_ns;
}

static void replay_show(ScreenState *state, guint position)
{
	state->position = position;
	state->shown_at_us = g_get_monotonic_time();
	state_show(state, (RateTables){
				  .latest = rate_table_copy(tape_table(state->tape, position)),
				  .total = tape_sum(state->tape, position),
			  });
	state->events_lost = state->shown.total->events_lost.high;
	g_clear_pointer(&state->shown_history, history_free);
	state->shown_history = tape_history(state->tape, position);
}

/* Each step asks for one table at a time: the reader would take two requests for one. */
static void replay_step(ScreenState *state)
{
	for (; state->steps_awaited && is_behind(state); state->steps_awaited--)
		replay_show(state, state->position + 1);
	if (state->steps_awaited)
		state_command(state, SCREEN_STEP, 0, NULL);
}

static void take_recorded_table(ScreenState *state, RateTable *table)
{
	const bool was_behind = is_behind(state);
	bool follows = !was_behind && (!state->is_paused || !state->shown.latest);
	guint dropped;

	/* The part of a recording after its last complete interval has almost nothing to show. */
	if (tape_length(state->tape) && (double)span_ns(table) / 1e9 < state->interval_s / 2) {
		tape_add_rest(state->tape, table);
		if (!was_behind)
			replay_show(state, replay_newest(state));
		return;
	}
	dropped = tape_add(state->tape, table);
	state->position -= MIN(state->position, dropped);
	if (follows) {
		replay_show(state, replay_newest(state));
		state->steps_awaited -= MIN(state->steps_awaited, 1);
	}
	replay_step(state);
}

void replay_take_table(ScreenState *state, RateTable *table)
{
	(state->tape ? take_recorded_table : state_take_table)(state, table);
}

void replay_end(ScreenState *state)
{
	state->has_ended = true;
	state->steps_awaited = 0;
}

void replay_pause(ScreenState *state, bool is_paused)
{
	if (is_paused == state->is_paused)
		return;
	state->is_paused = is_paused;
	state->steps_awaited = 0;
	state->shown_at_us = g_get_monotonic_time();
	state_command(state, is_paused ? SCREEN_HOLD : SCREEN_PLAY, 0, NULL);
}

void replay_step_back(ScreenState *state)
{
	state_unsay(state);
	replay_pause(state, true);
	if (state->position)
		replay_show(state, state->position - 1);
	else
		state_say(state, "no earlier interval is kept");
}

void replay_step_forward(ScreenState *state)
{
	state_unsay(state);
	replay_pause(state, true);
	if (!is_behind(state) && state->has_ended)
		state_say(state, "the recording is at its end");
	else if (!state->steps_awaited++)
		replay_step(state);
}

void replay_to_start(ScreenState *state)
{
	state_unsay(state);
	replay_pause(state, true);
	state->steps_awaited = 0;
	if (tape_length(state->tape))
		replay_show(state, 0);
	else
		replay_step_forward(state);
}

void replay_to_end(ScreenState *state)
{
	state_unsay(state);
	state->is_paused = false;
	state->steps_awaited = 0;
	if (is_behind(state))
		replay_show(state, replay_newest(state));
	state_command(state, SCREEN_TO_END, 0, NULL);
}

bool replay_tick(ScreenState *state, gint64 now_us)
{
	gint64 due_us;

	if (state->is_paused || !is_behind(state))
		return false;
	due_us = state->shown_at_us + (gint64)(span_ns(state->shown.latest) / 1000);
	if (now_us < due_us)
		return false;
	replay_show(state, state->position + 1);
	return true;
}

/* Returns the number of intervals in the recording; 0: unknown. */
static uint64_t intervals_of(const ScreenState *state)
{
	const RateTable *last = tape_table(state->tape, replay_newest(state));
	uint64_t end_ns = state->options->recorded_end_ns;
	double rest_s;

	if (state->has_ended)
		return last->number + 1;
	if (!end_ns)
		return 0;
	rest_s = (double)(end_ns - MIN(end_ns, last->end_ns)) / 1e9;
	return last->number + 1 + (uint64_t)(rest_s / state->interval_s + 0.5);
}

void replay_append_position(GString *out, const ScreenState *state)
{
	const RateTable *table = state->shown.latest;
	uint64_t intervals;

	if (!table)
		return;
	intervals = intervals_of(state);
	g_string_append_printf(out, "interval %" G_GUINT64_FORMAT, table->number + 1);
	if (intervals)
		g_string_append_printf(out, " of %" G_GUINT64_FORMAT, intervals);
	g_string_append_printf(out, ", to %.1f s",
			       (double)(table->end_ns - state->shown.total->start_ns) / 1e9);
	if (state->has_ended && !is_behind(state))
		g_string_append(out, ", end of the recording");
}

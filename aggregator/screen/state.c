/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen's state: what is shown, newest data, the user's choices. Independent of the terminal;
 * used by the thread only.
 */
#include "screen/state.h"

enum { SAYING_US = 5 * G_USEC_PER_SEC };

const char *const state_groups[] = { "process", "cgroup", NULL };

void state_init(ScreenState *state, const ScreenOptions *options, GAsyncQueue *commands)
{
	*state = (ScreenState){
		.options = options,
		.view = VIEW_TABLE,
		.history = history_new(),
		.interval_s = options->interval_s,
		.sort = options->sort,
		.commands = commands,
		.lines = 1,
	};
	if (options->recorded)
		state->tape = tape_new(options->kept_bytes_max);
	state->prompt.text = g_string_new(NULL);
}

static void tables_clear(RateTables *tables)
{
	g_clear_pointer(&tables->latest, rate_table_free);
	g_clear_pointer(&tables->total, rate_table_free);
}

void state_clear(ScreenState *state)
{
	tables_clear(&state->shown);
	tables_clear(&state->newest);
	tape_free(state->tape);
	g_clear_pointer(&state->detail, rate_detail_free);
	history_free(state->history);
	g_clear_pointer(&state->shown_history, history_free);
	g_free(state->filter);
	g_free(state->table_label);
	g_free(state->open_cache);
	g_free(state->open_label);
	frame_list_unref(state->stack_frames);
	g_free(state->stack_label);
	g_free(state->write_to);
	g_free(state->recording);
	g_free(state->saying);
	g_string_free(state->prompt.text, TRUE);
}

void state_take_table(ScreenState *state, RateTable *table)
{
	RateTables *tables = state->is_paused ? &state->newest : &state->shown;
	RateTable *total = g_steal_pointer(&tables->total);

	/* While paused, the shown data does not change: the sum continues in a copy. */
	if (!total && state->shown.total)
		total = rate_table_copy(state->shown.total);
	if (total)
		rate_table_add(total, table, state->sort);
	else
		total = rate_table_copy(table);
	state->events_lost += table->events_lost.high;
	history_take(state->history, table);
	tables_clear(tables);
	*tables = (RateTables){ .latest = table, .total = total };
}

void state_take_detail(ScreenState *state, RateDetail *detail)
{
	/* A detail of a cache that the user has left since then. */
	if (!state->open_cache) {
		rate_detail_free(detail);
		return;
	}
	g_clear_pointer(&state->detail, rate_detail_free);
	state->detail = detail;
}

void state_say(ScreenState *state, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_free(state->saying);
	state->saying = g_strdup_vprintf(format, arguments);
	state->saying_until_us = g_get_monotonic_time() + SAYING_US;
	va_end(arguments);
}

void state_unsay(ScreenState *state)
{
	g_clear_pointer(&state->saying, g_free);
}

void state_command(ScreenState *state, ScreenCommandKind kind, double seconds, const char *text)
{
	ScreenCommand *command = g_new0(ScreenCommand, 1);

	command->kind = kind;
	command->seconds = seconds;
	command->text = g_strdup(text);
	g_async_queue_push(state->commands, command);
}

void state_show(ScreenState *state, RateTables tables)
{
	tables_clear(&state->shown);
	state->shown = tables;
}

void state_pause(ScreenState *state, bool is_paused)
{
	state->is_paused = is_paused;
	g_clear_pointer(&state->shown_history, history_free);
	if (is_paused)
		state->shown_history = history_copy(state->history);
	if (is_paused || !state->newest.latest)
		return;
	state_show(state, state->newest);
	state->newest = (RateTables){ 0 };
}

const RateTable *state_table(const ScreenState *state)
{
	return state->is_cumulative ? state->shown.total : state->shown.latest;
}

void state_close_cache(ScreenState *state)
{
	if (!state->open_cache)
		return;
	state_command(state, SCREEN_CLOSE, 0, NULL);
	g_clear_pointer(&state->open_cache, g_free);
	g_clear_pointer(&state->open_label, g_free);
	g_clear_pointer(&state->detail, rate_detail_free);
	g_clear_pointer(&state->stack_frames, frame_list_unref);
	g_clear_pointer(&state->stack_label, g_free);
	state->detail_row = 0;
}

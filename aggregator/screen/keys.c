/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of keys with what they do, and the answers to questions. Each action changes the state
 * or queues a command; hints and help come from the table.
 */
#include "config.h"

#include "screen/keys.h"

#include "screen/detail_view.h"
#include "screen/replay.h"
#include "screen/table_view.h"

#include <curses.h>
#include <limits.h>
#include <string.h>

/* Keys without a name in ncurses. */
enum {
	KEY_CODE_ESCAPE = 0x1b,
	KEY_CODE_DELETE = 0x7f,
};

#define KEY_CODE_CTRL(letter) ((letter)&0x1f)

/* Questions on the last line, and the answer so far. */

typedef enum { PROMPT_TYPING, PROMPT_DONE, PROMPT_GIVEN_UP } PromptResult;

static const char *const questions[] = {
	[PROMPT_NONE] = "",
	[PROMPT_FILTER] = "show caches whose name contains: ",
	[PROMPT_WRITE] = "write this view to a new file: ",
	[PROMPT_RECORD] = "record into a new file: ",
};

/* Begins with an editable text, which may be NULL. */
static void prompt_ask(Prompt *prompt, PromptKind kind, const char *text)
{
	prompt->kind = kind;
	g_string_assign(prompt->text, text ? text : "");
}

const char *prompt_question(const Prompt *prompt)
{
	g_assert(prompt->kind < G_N_ELEMENTS(questions));
	return questions[prompt->kind];
}

/* Handles a key of ncurses, or a byte of a character. The kind stays until the next question. */
static PromptResult prompt_key(Prompt *prompt, int key)
{
	GString *text = prompt->text;

	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		return PROMPT_DONE;
	case KEY_CODE_ESCAPE:
	case KEY_CODE_CTRL('c'):
		return PROMPT_GIVEN_UP;
	case KEY_BACKSPACE:
	case KEY_CODE_DELETE:
	case KEY_CODE_CTRL('h'):
		/* A character may have several bytes. */
		while (text->len && ((guchar)text->str[text->len - 1] & 0xc0) == 0x80)
			g_string_truncate(text, text->len - 1);
		g_string_truncate(text, text->len - (text->len > 0));
		return PROMPT_TYPING;
	case KEY_CODE_CTRL('u'):
		g_string_truncate(text, 0);
		return PROMPT_TYPING;
	default:
		if (key >= ' ' && key < 0x100 && text->len < NAME_MAX)
			g_string_append_c(text, (char)key);
		return PROMPT_TYPING;
	}
}

/* Moving. */

static void take_text(char **to, const char *text)
{
	g_free(*to);
	*to = g_strdup(text);
}

static guint clamp_row(gint64 row, guint rows)
{
	return rows ? (guint)CLAMP(row, 0, (gint64)rows - 1) : 0;
}

static void select_stack(ScreenState *state, gint64 move)
{
	const GArray *stacks = state->detail ? state->detail->stacks : NULL;
	const RateDetailRow *row;

	if (!stacks || !stacks->len)
		return;
	state->detail_row = clamp_row(detail_view_selected(state) + move, stacks->len);
	row = &g_array_index(stacks, RateDetailRow, state->detail_row);
	frame_list_unref(state->stack_frames);
	state->stack_frames = frame_list_ref(row->frames);
	take_text(&state->stack_label, row->label);
}

static void move_by(ScreenState *state, gint64 move)
{
	const guint frames = state->stack_frames ? state->stack_frames->count : 0;

	if (state->view == VIEW_TABLE) {
		g_autoptr(GArray) rows = table_view_rows(state);

		if (!rows->len)
			return;
		state->table_row = clamp_row(table_view_selected(state, rows) + move, rows->len);
		take_text(&state->table_label,
			  g_array_index(rows, RateRow, state->table_row).label);
	} else if (state->view == VIEW_DETAIL) {
		select_stack(state, move);
	} else if (state->view == VIEW_STACK) {
		state->stack_line = clamp_row(state->stack_line + move, frames);
	}
}

static void act_up(ScreenState *state, int key)
{
	(void)key;
	move_by(state, -1);
}

static void act_down(ScreenState *state, int key)
{
	(void)key;
	move_by(state, 1);
}

static void act_page(ScreenState *state, int key)
{
	move_by(state, key == KEY_PPAGE ? -(gint64)state->lines : (gint64)state->lines);
}

static void act_first_or_last(ScreenState *state, int key)
{
	move_by(state, key == KEY_HOME ? -(gint64)INT_MAX : (gint64)INT_MAX);
}

/* Between views. */

static void open_cache(ScreenState *state)
{
	g_autoptr(GArray) rows = table_view_rows(state);
	const RateRow *row;

	if (!rows->len)
		return;
	row = &g_array_index(rows, RateRow, table_view_selected(state, rows));
	if (!row->name) {
		state_say(state, "%s: not one cache, whose stacks could be collected", row->label);
		return;
	}
	take_text(&state->table_label, row->label);
	take_text(&state->open_cache, row->name);
	take_text(&state->open_label, row->label);
	state->view = VIEW_DETAIL;
	state_command(state, SCREEN_OPEN, 0, row->name);
	if (state->group)
		state_command(state, SCREEN_GROUP, 0, state_groups[state->group]);
}

static void act_open(ScreenState *state, int key)
{
	(void)key;
	if (state->view == VIEW_TABLE) {
		open_cache(state);
		return;
	}
	select_stack(state, 0);
	if (!state->stack_frames)
		return;
	state->stack_line = 0;
	state->view = VIEW_STACK;
}

static void act_back(ScreenState *state, int key)
{
	(void)key;
	if (state->view == VIEW_HELP) {
		state->view = state->view_before_help;
	} else if (state->view == VIEW_STACK) {
		state->view = VIEW_DETAIL;
	} else if (state->view == VIEW_DETAIL) {
		state_close_cache(state);
		state->view = VIEW_TABLE;
	} else {
		g_clear_pointer(&state->filter, g_free);
	}
}

static void act_help(ScreenState *state, int key)
{
	if (state->view == VIEW_HELP) {
		act_back(state, key);
		return;
	}
	state->view_before_help = state->view;
	state->view = VIEW_HELP;
}

static void act_quit(ScreenState *state, int key)
{
	(void)key;
	state_command(state, SCREEN_QUIT, 0, NULL);
}

/* Content and format. */

static void act_sort(ScreenState *state, int key)
{
	const Metric *const *columns = state->options->columns;
	guint number = 0, count = 0;

	for (; columns[count]; count++)
		if (columns[count] == state->sort)
			number = count;
	number += key == '<' ? count - 1 : 1;
	state->sort = columns[number % count];
	state_say(state, "sorted by %s", state->sort->title_short);
}

static void act_filter(ScreenState *state, int key)
{
	(void)key;
	prompt_ask(&state->prompt, PROMPT_FILTER, state->filter);
}

static void act_pause(ScreenState *state, int key)
{
	(void)key;
	(state->tape ? replay_pause : state_pause)(state, !state->is_paused);
}

static void act_step(ScreenState *state, int key)
{
	(key == ',' ? replay_step_back : replay_step_forward)(state);
}

static void act_jump(ScreenState *state, int key)
{
	(key == '[' ? replay_to_start : replay_to_end)(state);
}

static void act_cumulative(ScreenState *state, int key)
{
	(void)key;
	state->is_cumulative = !state->is_cumulative;
}

static void act_exact(ScreenState *state, int key)
{
	(void)key;
	state->is_exact = !state->is_exact;
}

static void act_interval(ScreenState *state, int key)
{
	static const double steps[] = { 0.2, 0.5, 1, 2, 5, 10, 30, 60 };
	double wanted = state->interval_s;

	for (size_t i = 0; i < G_N_ELEMENTS(steps); i++) {
		if (key == '-' && steps[i] < state->interval_s)
			wanted = steps[i];
		if (key != '-' && steps[i] > state->interval_s) {
			wanted = steps[i];
			break;
		}
	}
	if (state->has_ended)
		state_say(state, "the recording is read: its intervals are fixed");
	if (wanted == state->interval_s || state->has_ended)
		return;
	state->interval_s = wanted;
	state_command(state, SCREEN_INTERVAL, wanted, NULL);
	state_say(state, "intervals of %g s from now on", wanted);
}

static void act_group(ScreenState *state, int key)
{
	(void)key;
	state->group = state_groups[state->group + 1] ? state->group + 1 : 0;
	state_command(state, SCREEN_GROUP, 0, state_groups[state->group]);
}

/* Files. */

static void act_write(ScreenState *state, int key)
{
	(void)key;
	prompt_ask(&state->prompt, PROMPT_WRITE, NULL);
}

static void act_record(ScreenState *state, int key)
{
	(void)key;
	if (!state->recording) {
		prompt_ask(&state->prompt, PROMPT_RECORD, NULL);
		return;
	}
	state_command(state, SCREEN_STOP_RECORDING, 0, NULL);
	state_say(state, "recording ends: %s", state->recording);
	g_clear_pointer(&state->recording, g_free);
}

static void act_redraw(ScreenState *state, int key)
{
	(void)key;
	state->wants_redraw = true;
}

enum { ROWS = VIEWS_ALL & ~VIEW_HELP }; /* views with counts */

const Key keys[] = {
	{ { 'q', KEY_F(10), KEY_CODE_CTRL('c') },
	  "q F10 Ctrl-C",
	  "q quit",
	  "quit",
	  VIEWS_ALL,
	  act_quit },
	{ { 'h', '?', KEY_F(1) }, "h ? F1", "h help", "this help", VIEWS_ALL, act_help },
	{ { KEY_CODE_ESCAPE, KEY_LEFT },
	  "Esc Left",
	  "Esc back",
	  "back",
	  VIEW_DETAIL | VIEW_STACK | VIEW_HELP,
	  act_back },
	{ { KEY_CODE_ESCAPE }, "Esc", NULL, "show all names again", VIEW_TABLE, act_back },
	{ { '\n', '\r', KEY_ENTER, KEY_RIGHT },
	  "Enter Right",
	  "Enter stacks",
	  "collect the stacks of this cache, and show who allocates",
	  VIEW_TABLE,
	  act_open },
	{ { '\n', '\r', KEY_ENTER, KEY_RIGHT },
	  "Enter Right",
	  "Enter whole",
	  "show the whole stack, with modules",
	  VIEW_DETAIL,
	  act_open },
	{ { 'g' }, "g", "g group", "group by process, or by cgroup", VIEW_DETAIL, act_group },
	{ { 's', '>', KEY_F(6) },
	  "s > F6",
	  "s sort",
	  "sort by the next column",
	  VIEW_TABLE,
	  act_sort },
	{ { '<' }, "<", NULL, "sort by the previous column", VIEW_TABLE, act_sort },
	{ { '/', '\\', KEY_F(4) },
	  "/ \\ F4",
	  "/ filter",
	  "show only names that contain a text",
	  VIEW_TABLE,
	  act_filter },
	{ { ' ' },
	  "Space",
	  "Space pause",
	  "pause the display, or continue",
	  VIEW_TABLE,
	  act_pause },
	{ { ',', '.' },
	  ", .",
	  ",. step",
	  "pause, and go to the previous or next interval of the recording",
	  VIEW_TABLE | KEY_OF_RECORDING,
	  act_step },
	{ { '[', ']' },
	  "[ ]",
	  "[] start/end",
	  "to the first interval that is kept, and pause; to the end of the recording",
	  VIEW_TABLE | KEY_OF_RECORDING,
	  act_jump },
	{ { 'c' },
	  "c",
	  "c sum",
	  "the sum of all intervals, or the last one",
	  VIEW_TABLE,
	  act_cumulative },
	{ { '+', '=', '-' },
	  "+ -",
	  "+- interval",
	  "longer or shorter intervals",
	  VIEW_TABLE,
	  act_interval },
	{ { 'e' }, "e", "e exact", "bytes in full, or in KiB, MiB, GiB", ROWS, act_exact },
	{ { 'w' }, "w", "w write", "write this view into a text file", ROWS, act_write },
	{ { 'R' }, "R", "R record", "start or end a recording to a file", ROWS, act_record },
	{ { KEY_UP, 'k' }, "Up k", NULL, "one line up", ROWS, act_up },
	{ { KEY_DOWN, 'j' }, "Down j", NULL, "one line down", ROWS, act_down },
	{ { KEY_PPAGE, KEY_NPAGE }, "PgUp PgDn", NULL, "one page up or down", ROWS, act_page },
	{ { KEY_HOME, KEY_END },
	  "Home End",
	  NULL,
	  "to the first or last line",
	  ROWS,
	  act_first_or_last },
	{ { KEY_CODE_CTRL('l') }, "Ctrl-L", NULL, "draw everything again", VIEWS_ALL, act_redraw },
	{ .names = NULL },
};

/* Answers. */

/* Reports an existing file early. The code that opens the file ensures that none is overwritten. */
static bool is_new_file(ScreenState *state)
{
	const char *path = state->prompt.text->str;

	if (*path && !g_file_test(path, G_FILE_TEST_EXISTS))
		return true;
	if (*path)
		state_say(state, "%s exists: give another name, or Esc", path);
	return false;
}

static void press_prompt(ScreenState *state, int key)
{
	const Prompt *prompt = &state->prompt;
	PromptResult result = prompt_key(&state->prompt, key);
	const char *text = prompt->text->str;
	const bool is_done = result == PROMPT_DONE;

	if (is_done && prompt->kind != PROMPT_FILTER && !is_new_file(state))
		return;
	if (prompt->kind == PROMPT_FILTER) {
		take_text(&state->filter, result == PROMPT_GIVEN_UP || !*text ? NULL : text);
	} else if (is_done && prompt->kind == PROMPT_WRITE) {
		take_text(&state->write_to, text);
	} else if (is_done) {
		take_text(&state->recording, text);
		state_command(state, SCREEN_RECORD, 0, text);
	}
	if (result != PROMPT_TYPING)
		prompt_ask(&state->prompt, PROMPT_NONE, NULL);
}

bool key_works(const Key *key, const ScreenState *state, ScreenView view)
{
	return (key->views & view) && (state->tape || !(key->views & KEY_OF_RECORDING));
}

void keys_press(ScreenState *state, int code)
{
	if (state->prompt.kind != PROMPT_NONE) {
		press_prompt(state, code);
		return;
	}
	for (const Key *key = keys; key->names; key++) {
		int i = 0;

		while (i < KEY_CODES && key->codes[i] && key->codes[i] != code)
			i++;
		if (i < KEY_CODES && key->codes[i] && key_works(key, state, state->view)) {
			key->act(state, code);
			return;
		}
	}
}

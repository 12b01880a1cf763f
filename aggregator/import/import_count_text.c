/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An importer of stacks as SystemTap prints them. State: the stack so far, and whether counts were
 * seen. As its lines may be anything, it is the last in the table of importers.
 */
#include "config.h"

#include "import/import.h"
#include "import/import_stack_line.h"
#include "import/import_types.h"

#include <string.h>

/*
 * The output of SystemTap's print_stack() and print_backtrace(), in one of two forms:
 *
 *	frame lines, then a line that is a number: that many events (stackcollapse-stap.pl reads it)
 *	any other line, then frame lines: one event, which ends at the first line that is no frame
 *
 * The first count line after a stack shows that the input has the first form.
 */

enum {
	RECOGNISED_FRAMES_MIN = 2,
};

typedef struct {
	Import in;
	uint64_t stack_lines; /* number of its input lines */
	bool in_stack;
	bool blank_behind; /* an empty line followed the stack */
	bool counted;      /* a count line followed a stack */
} CountTextState;
G_STATIC_ASSERT(offsetof(CountTextState, in) == 0);

static void forget_stack(CountTextState *state)
{
	g_string_truncate(state->in.stack, 0);
	state->stack_lines = 0;
	state->in_stack = false;
	state->blank_behind = false;
}

static void count_stack(CountTextState *state, uint64_t weight)
{
	import_count(state->in.session, &(EventText){
						.text = state->in.stack->str,
						.length = (uint32_t)state->in.stack->len,
						.weight = weight,
					});
	forget_stack(state);
}

/* Handles a stack without count line: one event or, in an input with counts, a damaged record. */
static void end_stack(void *data)
{
	CountTextState *state = data;

	if (!state->in_stack)
		return;
	if (!state->counted) {
		count_stack(state, 1);
		return;
	}
	state->in.unreadable += state->stack_lines;
	forget_stack(state);
}

static void add_frame(CountTextState *state, StackLineKind kind, const char *line, size_t length)
{
	if (state->blank_behind && !state->counted)
		end_stack(state);
	state->in_stack = true;
	state->stack_lines++;
	if (!stack_line_append(state->in.stack, kind, line, length))
		state->in.unreadable++;
}

/* A count without frames before it is for an unreadable stack, if the input has counts. */
static void read_count(CountTextState *state, uint64_t count)
{
	if (!state->in_stack && !state->counted) {
		state->in.unreadable++;
		return;
	}
	state->counted = true;
	count_stack(state, count);
}

static void read_line(void *data, const char *line, size_t length)
{
	CountTextState *state = data;
	uint64_t count = 0;
	StackLineKind kind = stack_line_kind(line, length, &count);

	switch (kind) {
	case LINE_BLANK:
		state->blank_behind = state->in_stack;
		break;
	case LINE_COUNT:
		read_count(state, count);
		break;
	case LINE_OTHER:
		if (state->counted)
			state->in.unreadable++;
		else
			end_stack(state);
		break;
	case LINE_NO_STACK:
		state->in_stack = true;
		state->stack_lines++;
		break;
	default:
		add_frame(state, kind, line, length);
		break;
	}
}

/* The titles of our tables: in these tables, a count is not after its stack. */
static bool is_table_head(const char *line, size_t length)
{
	static const char *const firsts[] = { "ALLOCATIONS  ", "HELD  ", "ADDED  ", "HITS  ",
					      "OLD  " };
	Cursor at = cursor_over(line, length);

	cursor_skip_blanks(&at);
	for (size_t i = 0; i < G_N_ELEMENTS(firsts); i++)
		if (cursor_take(&at, firsts[i])) {
			cursor_skip_blanks(&at);
			return at.at < at.end && (g_ascii_isupper(*at.at) || *at.at == '+');
		}
	return false;
}

/*
 * Recognises frames with an address: two in a row, or one with its count. Free-form lines may
 * surround them, so tables and text with non-text bytes are refused.
 */
static bool count_text_recognises(const char *text, size_t length)
{
	Cursor rest = cursor_over(text, length), line;
	unsigned frames = 0;

	if (memchr(text, '\0', length))
		return false;
	while (frames < RECOGNISED_FRAMES_MIN && import_next_line(&rest, &line)) {
		size_t line_bytes = (size_t)(line.end - line.at);
		uint64_t count;
		StackLineKind kind = stack_line_kind(line.at, line_bytes, &count);

		if (is_table_head(line.at, line_bytes))
			return false;
		if (kind == LINE_COUNT && frames > 0)
			return true;
		if (kind == LINE_OTHER || kind == LINE_COUNT)
			frames = 0;
		else if (kind == LINE_FRAME || kind == LINE_NAME || kind == LINE_ADDRESSES)
			frames++;
	}
	return frames >= RECOGNISED_FRAMES_MIN;
}

const ImportType import_count_text = {
	.name = "SystemTap's stack text",
	.takes_any_lines = true,
	.recognises = count_text_recognises,
	.state_bytes = sizeof(CountTextState),
	.line = read_line,
	.end = end_stack,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "collect/import.h"
#include "collect/import_text.h"
#include "collect/import_types.h"

#include <string.h>

/*
 * Text of SystemTap's print_stack() and print_backtrace(), in either of the forms that scripts
 * print it:
 *
 *	frame lines, then a line that is a number: that many events (stackcollapse-stap.pl reads it)
 *	any other line, then frame lines: one event, which ends at the first line that is no frame
 *
 * The first count line behind a stack settles that the input is of the first form.
 */

enum {
	STACK_BYTES_MAX = 256 * 1024,
	RECOGNISED_FRAMES_MIN = 2,
	ADDRESS_DIGITS_MIN = 6, /* of a kernel address: s390x has its text at 1 MB */
};

typedef enum {
	LINE_BLANK,
	LINE_OTHER,
	LINE_COUNT,     /* a number and nothing else */
	LINE_FRAME,     /* an address, with a name or without */
	LINE_SHORT,     /* a small number where an address should be: junk at a stack's end */
	LINE_NAME,      /* "foo+0x25 [ext4]": what sprint_stack() leaves of a frame */
	LINE_OWN_FRAME, /* in a SystemTap module: a frame of the tracer */
	LINE_ADDRESSES, /* backtrace(): a whole stack in one line */
	LINE_NO_STACK,  /* <no kernel backtrace at ...> */
} LineKind;

typedef struct {
	Profile *profile;
	ImportLines lines;
	GString *stack;       /* the frame lines so far */
	uint64_t stack_lines; /* input lines that it was made of */
	bool in_stack;
	bool blank_behind; /* the stack was followed by an empty line */
	bool counted;      /* a count line was seen behind a stack */
	uint64_t unreadable;
} CountTextState;

/* "+0xOFFSET[/0xSIZE]" */
static bool take_offset(Cursor *cursor)
{
	Cursor at = *cursor;
	uint64_t number;
	unsigned digits;

	if (!cursor_take(&at, "+0x") || !cursor_take_hex(&at, &number, &digits))
		return false;
	if (cursor_take(&at, "/0x") && !cursor_take_hex(&at, &number, &digits))
		return false;
	*cursor = at;
	return true;
}

static bool ends_name(char c)
{
	return c == ' ' || c == '\t' || c == '+' || c == '[' || c == ']';
}

/* A name: everything up to its offset, a blank, or the end. */
static bool take_name(Cursor *cursor)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && !ends_name(*cursor->at))
		cursor->at++;
	return cursor->at > start;
}

/* "[NAME]" or, where no symbol is known, "[NAME+0xOFFSET/0xSIZE]"; *own: a SystemTap module. */
static bool take_module(Cursor *cursor, bool *own)
{
	Cursor at = *cursor;

	if (!cursor_take(&at, "["))
		return false;
	Cursor name = at;

	*own = cursor_take(&name, "stap_");
	if (!take_name(&at))
		return false;
	take_offset(&at);
	if (!cursor_take(&at, "]"))
		return false;
	*cursor = at;
	return true;
}

/* What may follow a symbol: " at FILE:LINE", " [MODULE]", " (inexact)". */
static LineKind frame_tail(Cursor at)
{
	bool own = false;
	const char *word;
	size_t length;

	cursor_skip_blanks(&at);
	if (cursor_take(&at, "at ")) {
		cursor_take_word(&at, &word, &length);
		cursor_skip_blanks(&at);
	}
	if (take_module(&at, &own))
		cursor_skip_blanks(&at);
	cursor_take(&at, "(inexact)");
	if (!cursor_at_end(&at))
		return LINE_OTHER;
	return own ? LINE_OWN_FRAME : LINE_FRAME;
}

/* "0xADDRESS 0xADDRESS ..." */
static bool is_addresses(Cursor at)
{
	uint64_t address;
	unsigned digits;

	while (!cursor_at_end(&at)) {
		if (!cursor_take(&at, "0x") || !cursor_take_hex(&at, &address, &digits))
			return false;
		if (!cursor_skip_blanks(&at) && !cursor_at_end(&at))
			return false;
	}
	return true;
}

static LineKind address_line(Cursor at)
{
	uint64_t address;
	unsigned digits;

	cursor_take(&at, "0x");
	if (!cursor_take_hex(&at, &address, &digits))
		return LINE_OTHER;
	if (cursor_at_end(&at))
		return digits < ADDRESS_DIGITS_MIN ? LINE_SHORT : LINE_FRAME;
	if (!cursor_skip_blanks(&at))
		return LINE_OTHER;
	if (is_addresses(at))
		return digits < ADDRESS_DIGITS_MIN ? LINE_SHORT : LINE_ADDRESSES;
	if (!cursor_take(&at, ":"))
		return frame_tail(at);
	cursor_skip_blanks(&at);
	if (!take_name(&at) || !take_offset(&at))
		return LINE_OTHER;
	return frame_tail(at);
}

/* "foo+0x25 [ext4]" */
static LineKind name_line(Cursor at)
{
	bool own;

	if (!take_name(&at) || !take_offset(&at))
		return LINE_OTHER;
	if (cursor_at_end(&at))
		return LINE_NAME;
	if (!cursor_skip_blanks(&at) || !take_module(&at, &own) || !cursor_at_end(&at))
		return LINE_OTHER;
	return own ? LINE_OWN_FRAME : LINE_NAME;
}

static bool take_return_prefix(Cursor *cursor)
{
	Cursor at = *cursor;

	if (!cursor_take(&at, "Returning from") && !cursor_take(&at, "Returning to"))
		return false;
	cursor_skip_blanks(&at);
	if (!cursor_take(&at, ":"))
		return false;
	cursor_skip_blanks(&at);
	*cursor = at;
	return true;
}

/* Lines come without trailing blanks. */
static LineKind line_kind(const char *line, size_t length, uint64_t *count)
{
	Cursor at = cursor_over(line, length);
	Cursor number;

	cursor_skip_blanks(&at);
	if (cursor_at_end(&at))
		return LINE_BLANK;
	number = at;
	if (cursor_take_decimal(&number, count) && cursor_at_end(&number))
		return LINE_COUNT;
	number = at;
	if (cursor_take(&number, "<no ") &&
	    memmem(at.at, (size_t)(at.end - at.at), "backtrace at", 12))
		return LINE_NO_STACK;
	take_return_prefix(&at);
	number = at;
	return cursor_take(&number, "0x") ? address_line(at) : name_line(at);
}

static void forget_stack(CountTextState *state)
{
	g_string_truncate(state->stack, 0);
	state->stack_lines = 0;
	state->in_stack = false;
	state->blank_behind = false;
}

static void count_stack(CountTextState *state, uint64_t weight)
{
	profile_count_text(state->profile, state->stack->str, (uint32_t)state->stack->len, NULL,
			   weight, 0, 0);
	forget_stack(state);
}

/* A stack that no count line ends: one event, or in an input with counts a damaged record. */
static void end_stack(CountTextState *state)
{
	if (!state->in_stack)
		return;
	if (!state->counted) {
		count_stack(state, 1);
		return;
	}
	state->unreadable += state->stack_lines;
	forget_stack(state);
}

static void append_addresses(GString *stack, const char *line, size_t length)
{
	Cursor at = cursor_over(line, length);
	const char *word;

	cursor_skip_blanks(&at);
	while (cursor_take_word(&at, &word, &length)) {
		g_string_append_c(stack, ' ');
		g_string_append_len(stack, word, (gssize)length);
		g_string_append_c(stack, '\n');
		cursor_skip_blanks(&at);
	}
}

static void add_frame(CountTextState *state, LineKind kind, const char *line, size_t length)
{
	if (state->blank_behind && !state->counted)
		end_stack(state);
	state->in_stack = true;
	state->stack_lines++;
	if (state->stack->len + length > STACK_BYTES_MAX) {
		state->unreadable++;
		return;
	}
	/* The tracer's own frames come first, if at all. */
	if (kind == LINE_OWN_FRAME && state->stack->len == 0)
		return;
	if (kind == LINE_ADDRESSES) {
		append_addresses(state->stack, line, length);
		return;
	}
	g_string_append_len(state->stack, line, (gssize)length);
	g_string_append_c(state->stack, '\n');
}

/* A number without frames before it: a stack that could not be taken, once counts are known. */
static void read_count(CountTextState *state, uint64_t count)
{
	if (!state->in_stack && !state->counted) {
		state->unreadable++;
		return;
	}
	state->counted = true;
	count_stack(state, count);
}

static void read_line(void *data, const char *line, size_t length)
{
	CountTextState *state = data;
	uint64_t count = 0;
	LineKind kind = line_kind(line, length, &count);

	switch (kind) {
	case LINE_BLANK:
		state->blank_behind = state->in_stack;
		break;
	case LINE_COUNT:
		read_count(state, count);
		break;
	case LINE_OTHER:
		if (state->counted)
			state->unreadable++;
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

static void count_text_feed(Profile *profile, void **data, const char *text, size_t length)
{
	CountTextState *state = *data;

	if (!state) {
		state = g_new0(CountTextState, 1);
		state->profile = profile;
		state->stack = g_string_new(NULL);
		import_lines_init(&state->lines, read_line, state);
		*data = state;
	}
	import_lines_feed(&state->lines, text, length);
}

static uint64_t count_text_finish(Profile *profile, void **data)
{
	g_autofree CountTextState *state = *data;

	(void)profile;
	if (!state)
		return 0;
	*data = NULL;
	import_lines_finish(&state->lines);
	end_stack(state);
	g_string_free(state->stack, TRUE);
	return state->unreadable + state->lines.too_long;
}

/*
 * Frames with an address, two in a row or one with its count. Free-form lines may be around them,
 * so a text with a byte that no text has is refused.
 */
static bool count_text_recognises(const char *text, size_t length)
{
	const char *end = text + length;
	unsigned frames = 0;

	if (memchr(text, '\0', length))
		return false;
	for (const char *at = text, *next; at < end; at = next) {
		const char *newline = import_line_end(at, end);
		const char *line_end = newline ? newline : end;
		size_t line_bytes = import_trimmed(at, (size_t)(line_end - at));
		uint64_t count;
		LineKind kind = line_kind(at, line_bytes, &count);

		next = newline ? newline + 1 : end;
		if (kind == LINE_COUNT && frames > 0)
			return true;
		if (kind == LINE_OTHER || kind == LINE_COUNT)
			frames = 0;
		else if (kind == LINE_FRAME || kind == LINE_NAME || kind == LINE_ADDRESSES)
			frames++;
		if (frames >= RECOGNISED_FRAMES_MIN)
			return true;
	}
	return false;
}

const ImportType import_count_text = {
	.name = "SystemTap's stack text",
	.recognises = count_text_recognises,
	.feed = count_text_feed,
	.finish = count_text_finish,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Classifies one line of a printed stack (frame, count, blank, other) and appends it in our form.
 * Nothing is allocated but the stack's text, which is bounded. Shared by the importers of such
 * texts.
 */
#include "config.h"

#include "import/import_stack_line.h"

#include "import/import_text.h"

#include <string.h>

enum {
	STACK_BYTES_MAX = 256 * 1024,
	ADDRESS_DIGITS_MIN = 6, /* in a kernel address: s390x has its text at 1 MB */
};

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

/* "[NAME]" or, if the symbol is unknown, "[NAME+0xOFFSET/0xSIZE]" */
static bool take_module(Cursor *cursor)
{
	Cursor at = *cursor;

	if (!cursor_take(&at, "[") || !take_name(&at))
		return false;
	take_offset(&at);
	if (!cursor_take(&at, "]"))
		return false;
	*cursor = at;
	return true;
}

/* What may follow a symbol: " at FILE:LINE", " [MODULE]", " (inexact)". */
static StackLineKind frame_tail(Cursor at)
{
	const char *word;
	size_t length;

	cursor_skip_blanks(&at);
	if (cursor_take(&at, "at ")) {
		cursor_take_word(&at, &word, &length);
		cursor_skip_blanks(&at);
	}
	if (take_module(&at))
		cursor_skip_blanks(&at);
	cursor_take(&at, "(inexact)");
	return cursor_at_end(&at) ? LINE_FRAME : LINE_OTHER;
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

/* The address again, instead of a name: print_backtrace() knows none. */
static bool take_unnamed(Cursor *cursor)
{
	uint64_t address;
	unsigned digits;

	return cursor_take(cursor, "0x") && cursor_take_hex(cursor, &address, &digits) &&
	       cursor_at_end(cursor);
}

static StackLineKind address_line(Cursor at)
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
	if (take_unnamed(&at))
		return LINE_FRAME;
	if (!take_name(&at) || !take_offset(&at))
		return LINE_OTHER;
	return frame_tail(at);
}

/* "foo+0x25 [ext4]" */
static StackLineKind name_line(Cursor at)
{
	if (!take_name(&at) || !take_offset(&at))
		return LINE_OTHER;
	if (cursor_at_end(&at))
		return LINE_NAME;
	return cursor_skip_blanks(&at) && take_module(&at) && cursor_at_end(&at) ? LINE_NAME
										 : LINE_OTHER;
}

/* "Returning from: " */
static void skip_return_prefix(Cursor *cursor)
{
	Cursor at = *cursor;

	if (!cursor_take(&at, "Returning from") && !cursor_take(&at, "Returning to"))
		return;
	cursor_skip_blanks(&at);
	if (!cursor_take(&at, ":"))
		return;
	cursor_skip_blanks(&at);
	*cursor = at;
}

StackLineKind stack_line_kind(const char *line, size_t length, uint64_t *count)
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
	skip_return_prefix(&at);
	number = at;
	return cursor_take(&number, "0x") ? address_line(at) : name_line(at);
}

bool stack_line_is_frame(StackLineKind kind)
{
	return kind == LINE_FRAME || kind == LINE_SHORT || kind == LINE_NAME ||
	       kind == LINE_ADDRESSES;
}

bool stack_line_append(GString *stack, StackLineKind kind, const char *line, size_t length)
{
	Cursor at = cursor_over(line, length);

	if (stack->len + length > STACK_BYTES_MAX)
		return false;
	if (kind != LINE_ADDRESSES) {
		g_string_append_len(stack, line, (gssize)length);
		g_string_append_c(stack, '\n');
		return true;
	}
	cursor_skip_blanks(&at);
	while (cursor_take_word(&at, &line, &length)) {
		g_string_append_c(stack, ' ');
		g_string_append_len(stack, line, (gssize)length);
		g_string_append_c(stack, '\n');
		cursor_skip_blanks(&at);
	}
	return true;
}

bool held_frame_append(GString *stack, const char *line, size_t length)
{
	gsize start = stack->len;
	Cursor at = cursor_over(line, length);
	uint64_t number;
	StackLineKind kind = stack_line_kind(line, length, &number);

	if (kind != LINE_NAME && kind != LINE_FRAME)
		return false;
	cursor_skip_blanks(&at);
	g_string_append_c(stack, ' ');
	if (stack_line_append(stack, LINE_FRAME, at.at, (size_t)(at.end - at.at)))
		return true;
	g_string_truncate(stack, start);
	return false;
}

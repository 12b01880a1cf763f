/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Joins text that arrives in pieces, with a bounded rest, and parses parts of a line with a Cursor.
 * All importers are built on it.
 */
#include "import/import_text.h"

#include "base/saturate.h"
#include "base/text_part.h"
#include "record/event_kinds.h"

#include <string.h>

/* Enough to complete nearly every record with one copy. */
enum { PIECE_BYTES = 16 * 1024 };

void import_carry_init(ImportCarry *carry, size_t bytes_max, ImportConsumer consume, void *state)
{
	*carry = (ImportCarry){
		.consume = consume,
		.state = state,
		.rest = g_string_new(NULL),
		.bytes_max = bytes_max,
	};
}

/* Appends new text to the rest until the rest is used up. Returns how much of the text was used. */
static size_t carry_complete(ImportCarry *carry, const char *text, size_t length)
{
	size_t done = 0;

	while (carry->rest->len > 0 && done < length) {
		size_t before = carry->rest->len;
		size_t room = carry->bytes_max - before;
		size_t piece = MIN(MIN(length - done, room), (size_t)PIECE_BYTES);

		g_string_append_len(carry->rest, text + done, (gssize)piece);
		size_t used = carry->consume(carry->state, carry->rest->str, carry->rest->len,
					     carry->rest->len == carry->bytes_max);
		if (used >= before) {
			g_string_truncate(carry->rest, 0);
			return done + used - before;
		}
		g_string_erase(carry->rest, 0, (gssize)used);
		done += piece;
	}
	return done;
}

void import_carry_feed(ImportCarry *carry, const char *text, size_t length)
{
	size_t done = carry_complete(carry, text, length);

	while (done < length) {
		size_t left = length - done;
		size_t used = carry->consume(carry->state, text + done, left, false);

		done += used;
		left -= used;
		if (left < carry->bytes_max) {
			g_string_append_len(carry->rest, text + done, (gssize)left);
			return;
		}
		done += carry->consume(carry->state, text + done, left, true);
	}
}

void import_carry_finish(ImportCarry *carry)
{
	GString *rest = carry->rest;
	size_t done = 0;

	if (rest->len > 0)
		g_string_append_c(rest, '\n');
	while (done < rest->len)
		done += carry->consume(carry->state, rest->str + done, rest->len - done, true);
	g_string_free(rest, TRUE);
	carry->rest = NULL;
}

const char *import_line_end(const char *text, const char *end)
{
	return memchr(text, '\n', (size_t)(end - text));
}

const char *import_find_last(const char *text, size_t length, const char *sought)
{
	size_t sought_bytes = strlen(sought);

	for (size_t at = length; at >= sought_bytes; at--)
		if (!memcmp(text + at - sought_bytes, sought, sought_bytes))
			return text + at - sought_bytes;
	return NULL;
}

void import_copy_comm(char *to, const char *name, size_t length)
{
	memcpy(to, name, strnlen(name, MIN(length, KMT_COMM_BYTES)));
}

size_t import_trimmed(const char *line, size_t length)
{
	while (length > 0 &&
	       (line[length - 1] == ' ' || line[length - 1] == '\t' || line[length - 1] == '\r'))
		length--;
	return length;
}

/* Control characters are echoed as "^@" to "^_", and as "^?". */
size_t import_echo_bytes(const char *line, size_t length)
{
	size_t bytes = 0;

	while (length - bytes >= 2 && line[bytes] == '^' && line[bytes + 1] >= '?' &&
	       line[bytes + 1] <= '_')
		bytes += 2;
	return bytes;
}

bool import_next_line(Cursor *rest, Cursor *line)
{
	const char *newline, *end;

	if (cursor_at_end(rest))
		return false;
	newline = import_line_end(rest->at, rest->end);
	end = newline ? newline : rest->end;
	line->at = rest->at + import_echo_bytes(rest->at, (size_t)(end - rest->at));
	line->end = line->at + import_trimmed(line->at, (size_t)(end - line->at));
	rest->at = newline ? newline + 1 : end;
	return true;
}

bool import_begins(const char *line, size_t length, const char *literal)
{
	Cursor at = cursor_over(line, length);

	return cursor_take(&at, literal);
}

bool import_any_line(const char *text, size_t length, unsigned lines_max,
		     bool (*test)(const char *line, size_t length))
{
	Cursor rest = cursor_over(text, length), line;

	if (memchr(text, '\0', length))
		return false;
	for (unsigned lines = 1; import_next_line(&rest, &line); lines++) {
		if (test(line.at, (size_t)(line.end - line.at)))
			return true;
		if (lines == lines_max)
			return false;
	}
	return false;
}

Cursor cursor_over(const char *text, size_t length)
{
	return (Cursor){ .at = text, .end = text + length };
}

bool cursor_at_end(const Cursor *cursor)
{
	return cursor->at == cursor->end;
}

bool cursor_skip_blanks(Cursor *cursor)
{
	const char *start = cursor->at;

	while (cursor->at < cursor->end && (*cursor->at == ' ' || *cursor->at == '\t'))
		cursor->at++;
	return cursor->at > start;
}

bool cursor_take(Cursor *cursor, const char *literal)
{
	size_t length = strlen(literal);

	if ((size_t)(cursor->end - cursor->at) < length || memcmp(cursor->at, literal, length) != 0)
		return false;
	cursor->at += length;
	return true;
}

bool cursor_take_decimal(Cursor *cursor, uint64_t *value)
{
	const char *at = cursor->at;
	uint64_t sum = 0;

	for (; at < cursor->end && g_ascii_isdigit(*at); at++) {
		if (!checked_product(&sum, sum, 10) ||
		    !checked_sum(&sum, sum, (uint64_t)(*at - '0')))
			return false;
	}
	if (at == cursor->at)
		return false;
	cursor->at = at;
	*value = sum;
	return true;
}

bool cursor_take_hex(Cursor *cursor, uint64_t *value, unsigned *digits)
{
	const char *at = cursor->at;
	uint64_t sum = 0;

	for (unsigned digit; at < cursor->end && (digit = hexadecimal_digit(*at)) < 16; at++)
		sum = sum << 4 | digit;
	if (at == cursor->at || at - cursor->at > 16)
		return false;
	*digits = (unsigned)(at - cursor->at);
	cursor->at = at;
	*value = sum;
	return true;
}

bool cursor_skip_margin(Cursor *cursor)
{
	Cursor at = *cursor;
	uint64_t number;

	if (!cursor_take(&at, " (sampled, +-") || !cursor_take_decimal(&at, &number))
		return false;
	if (cursor_take(&at, ".") && !cursor_take_decimal(&at, &number))
		return false;
	if (!cursor_take(&at, " %)"))
		return false;
	*cursor = at;
	return true;
}

bool cursor_take_word(Cursor *cursor, const char **word, size_t *length)
{
	const char *at = cursor->at;

	while (at < cursor->end && *at != ' ' && *at != '\t')
		at++;
	*word = cursor->at;
	*length = (size_t)(at - cursor->at);
	cursor->at = at;
	return *length > 0;
}

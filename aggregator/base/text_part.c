/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines, words and numbers of a text that is not terminated and not trusted. Each function takes a
 * part from the front and moves the rest on. The parsers of text batches, of /proc and of answers
 * from child processes are made of these.
 */
#include "base/text_part.h"

#include "base/saturate.h"

#include <glib.h>
#include <string.h>

enum { HEXADECIMAL_DIGITS_MAX = 16 };

bool text_part_equals(TextPart a, TextPart b)
{
	return a.length == b.length && (!a.length || !memcmp(a.text, b.text, a.length));
}

bool text_part_is(TextPart part, const char *text)
{
	return text_part_equals(part, (TextPart){ text, strlen(text) });
}

static void text_part_skip(TextPart *rest, size_t length)
{
	rest->text += length;
	rest->length -= length;
}

bool text_part_next_line(TextPart *rest, TextPart *line)
{
	const char *stop;

	if (!rest->length)
		return false;
	stop = memchr(rest->text, '\n', rest->length);
	*line = (TextPart){ rest->text, stop ? (size_t)(stop - rest->text) : rest->length };
	text_part_skip(rest, line->length + (stop != NULL));
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

TextPart text_part_next_word(TextPart *rest)
{
	TextPart word;
	size_t blanks = 0, end;

	while (blanks < rest->length && is_blank(rest->text[blanks]))
		blanks++;
	for (end = blanks; end < rest->length && !is_blank(rest->text[end]);)
		end++;
	word = (TextPart){ rest->text + blanks, end - blanks };
	text_part_skip(rest, end);
	return word;
}

bool text_part_hexadecimal(TextPart part, uint64_t *value)
{
	if (!part.length || part.length > HEXADECIMAL_DIGITS_MAX)
		return false;
	*value = 0;
	for (size_t i = 0; i < part.length; i++) {
		unsigned digit = hexadecimal_digit(part.text[i]);

		if (digit > 0xf)
			return false;
		*value = *value << 4 | digit;
	}
	return true;
}

bool text_part_address(TextPart part, uint64_t *value)
{
	if (part.length > 2 && part.text[0] == '0' && part.text[1] == 'x')
		text_part_skip(&part, 2);
	return text_part_hexadecimal(part, value);
}

bool text_part_decimal_64(TextPart part, uint64_t *value)
{
	*value = 0;
	for (size_t i = 0; i < part.length; i++) {
		int digit = g_ascii_digit_value(part.text[i]);

		if (digit < 0 || !checked_product(value, *value, 10) ||
		    !checked_sum(value, *value, (unsigned)digit))
			return false;
	}
	return part.length != 0;
}

bool text_part_decimal(TextPart part, uint64_t *value)
{
	return text_part_decimal_64(part, value) && *value <= UINT32_MAX;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a text, not terminated, and functions to parse such parts. */
typedef struct {
	const char *text;
	size_t length;
} TextPart;

/* Whether both have the same bytes. */
bool text_part_equals(TextPart a, TextPart b);

/* Whether the part equals this terminated text. */
bool text_part_is(TextPart part, const char *text);

/* Removes the next line from the front of rest; line excludes its end. Returns false if nothing is
   left. */
bool text_part_next_line(TextPart *rest, TextPart *line);

/* Removes the next word, separated by blanks and tabs, from the front of rest. Returns a part of
   length 0 if nothing is left. */
TextPart text_part_next_word(TextPart *rest);

/* Returns the value of a hexadecimal digit, or 16 if c is none. */
static inline unsigned hexadecimal_digit(char c)
{
	unsigned decimal = (unsigned char)c - (unsigned)'0';
	unsigned letter = ((unsigned char)c | 0x20U) - (unsigned)'a';

	if (decimal < 10)
		return decimal;
	return letter < 6 ? letter + 10 : 16;
}

/* Parse a number that fills the whole part: at most 16 hexadecimal digits, the same with or without
   0x before them, a decimal below 2^32, or a decimal below 2^64. */
bool text_part_hexadecimal(TextPart part, uint64_t *value);
bool text_part_address(TextPart part, uint64_t *value);
bool text_part_decimal(TextPart part, uint64_t *value);
bool text_part_decimal_64(TextPart part, uint64_t *value);

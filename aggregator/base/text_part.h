/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A part of a text that is not terminated, and how to take such a text apart. */
typedef struct {
	const char *text;
	size_t length;
} TextPart;

bool text_part_equals(TextPart a, TextPart b);

/* Whether the part is this terminated text. */
bool text_part_is(TextPart part, const char *text);

/* Takes the next line off the front, without its end. Returns false when nothing is left. */
bool text_part_next_line(TextPart *rest, TextPart *line);

/* Takes the next word off the front; words are separated by blanks and tabs. Returns a part of
   length 0 when nothing is left. */
TextPart text_part_next_word(TextPart *rest);

/* Returns the value of a hexadecimal digit; 16: it is none. */
static inline unsigned hexadecimal_digit(char c)
{
	unsigned decimal = (unsigned char)c - (unsigned)'0';
	unsigned letter = ((unsigned char)c | 0x20U) - (unsigned)'a';

	if (decimal < 10)
		return decimal;
	return letter < 6 ? letter + 10 : 16;
}

/* Reads a number that fills the whole part, of at most 16 hexadecimal digits, or below 2^32. */
bool text_part_hexadecimal(TextPart part, uint64_t *value);
bool text_part_decimal(TextPart part, uint64_t *value);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses one operand of a USDT site: constant, register or memory. The text comes from the file:
 * nothing in it is trusted.
 */
#include "collect/points/usdt_operand.h"

#include "base/text_part.h"
#include "collect/points/point_registers.h"

#include <glib.h>
#include <string.h>

static void drop(TextPart *part, size_t length)
{
	part->text += length;
	part->length -= length;
}

static bool drop_character(TextPart *part, char c)
{
	if (!part->length || *part->text != c)
		return false;
	drop(part, 1);
	return true;
}

/* Removes the next operand. A memory operand of ARM has blanks in its brackets. */
static TextPart next_operand(TextPart *rest)
{
	TextPart operand;
	bool in_brackets = false;
	size_t end;

	while (drop_character(rest, ' '))
		continue;
	for (end = 0; end < rest->length && (in_brackets || rest->text[end] != ' '); end++) {
		in_brackets |= rest->text[end] == '[';
		in_brackets &= rest->text[end] != ']';
	}
	operand = (TextPart){ rest->text, end };
	drop(rest, end);
	return operand;
}

/* Removes "SIZE@". Old files have none: then it is that of a register. */
static void take_size(TextPart *rest, UsdtOperand *operand)
{
	const char *at = rest->length ? memchr(rest->text, '@', rest->length) : NULL;
	size_t length = at ? (size_t)(at - rest->text) : 0;
	TextPart size = { rest->text, length };
	uint64_t bytes;

	operand->bytes = sizeof(uint64_t);
	if (!at)
		return;
	drop(rest, length + 1);
	operand->is_signed = drop_character(&size, '-');
	if (text_part_decimal(size, &bytes) && (bytes == 1 || bytes == 2 || bytes == 4))
		operand->bytes = (unsigned)bytes;
}

static bool read_constant(TextPart text, int64_t *constant)
{
	bool is_negative = drop_character(&text, '-');
	uint64_t number;
	bool is_read;

	if (text.length > 2 && text.text[0] == '0' && (text.text[1] | 0x20) == 'x') {
		drop(&text, 2);
		is_read = text_part_hexadecimal(text, &number);
	} else {
		is_read = text_part_decimal(text, &number);
	}
	if (is_read)
		*constant = (int64_t)(is_negative ? -number : number);
	return is_read;
}

static void read_place(TextPart text, UsdtOperand *operand)
{
	unsigned bytes;

	operand->kind = USDT_OPERAND_MEMORY;
	if (drop_character(&text, '$') || (text.length && g_ascii_isdigit(*text.text)) ||
	    (text.length > 1 && *text.text == '-' && g_ascii_isdigit(text.text[1]))) {
		if (read_constant(text, &operand->constant))
			operand->kind = USDT_OPERAND_CONSTANT;
		return;
	}
	drop_character(&text, '%');
	operand->register_number = point_register_named(text.text, text.length, &bytes);
	if (operand->register_number == POINT_REGISTER_NONE)
		return;
	operand->kind = USDT_OPERAND_REGISTER;
	operand->bytes = MIN(operand->bytes, bytes);
}

bool usdt_operand_parse(const char *arguments, unsigned number, UsdtOperand *operand)
{
	TextPart rest = { arguments, strlen(arguments) }, text = { 0 };

	for (unsigned i = 0; i < number; i++)
		text = next_operand(&rest);
	*operand = (UsdtOperand){ 0 };
	if (!text.length)
		return false;
	take_size(&text, operand);
	read_place(text, operand);
	return true;
}

unsigned usdt_operands_count(const char *arguments)
{
	TextPart rest = { arguments, strlen(arguments) };
	unsigned count = 0;

	while (next_operand(&rest).length)
		count++;
	return count;
}

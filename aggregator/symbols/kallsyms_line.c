/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a line of /proc/kallsyms, from the host or from a stream. Nothing is copied.
 * symbol_store.c and what looks for symbols of the host call it for each line.
 */
#include "symbols/kallsyms_line.h"

/* Returns MODULE from "[MODULE]", or a part of length 0. */
static TextPart without_brackets(TextPart word)
{
	if (word.length < 2 || word.text[0] != '[' || word.text[word.length - 1] != ']')
		return (TextPart){ word.text, 0 };
	return (TextPart){ word.text + 1, word.length - 2 };
}

bool kallsyms_line_parse(TextPart line, KallsymsLine *parsed)
{
	TextPart address = text_part_next_word(&line);
	TextPart type = text_part_next_word(&line);

	parsed->name = text_part_next_word(&line);
	parsed->module = without_brackets(text_part_next_word(&line));
	if (type.length != 1 || !parsed->name.length)
		return false;
	parsed->type = *type.text;
	return text_part_hexadecimal(address, &parsed->address);
}

bool kallsyms_line_is_text(const KallsymsLine *parsed)
{
	return parsed->type == 'T' || parsed->type == 't' || parsed->type == 'W' ||
	       parsed->type == 'w';
}

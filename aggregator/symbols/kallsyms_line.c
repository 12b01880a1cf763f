/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a line of /proc/kallsyms, from the host or from a stream. Nothing is copied.
 * symbol_store.c and what looks for symbols of the host call it for each line.
 */
#include "symbols/kallsyms_line.h"

bool kallsyms_line_parse(TextPart line, KallsymsLine *parsed)
{
	TextPart address = text_part_next_word(&line);
	TextPart type = text_part_next_word(&line);
	TextPart module;

	parsed->name = text_part_next_word(&line);
	module = text_part_next_word(&line); /* "[MODULE]" */
	if (module.length >= 2 && module.text[0] == '[' && module.text[module.length - 1] == ']')
		parsed->module = (TextPart){ module.text + 1, module.length - 2 };
	else
		parsed->module = (TextPart){ module.text, 0 };
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

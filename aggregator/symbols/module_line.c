/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a line of a modules batch. Nothing is copied. symbol_store.c and code_objects.c call it
 * for each line.
 */
#include "symbols/module_line.h"

bool module_line_parse(TextPart line, ModuleLine *parsed)
{
	TextPart bytes, address;

	parsed->name = text_part_next_word(&line);
	bytes = text_part_next_word(&line);
	address = text_part_next_word(&line);
	parsed->build_id = text_part_next_word(&line);
	return text_part_decimal(bytes, &parsed->bytes) &&
	       text_part_address(address, &parsed->address);
}

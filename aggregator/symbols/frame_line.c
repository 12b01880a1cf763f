/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/frame_line.h"

#include <glib.h>
#include <string.h>

static TextPart strip(const char *text, size_t length)
{
	while (length && g_ascii_isspace(text[length - 1]))
		length--;
	while (length && g_ascii_isspace(*text)) {
		text++;
		length--;
	}
	return (TextPart){ text, length };
}

/* Returns what follows the address, or all where there is none: "name+0x0/0x9f [ext4]". */
static TextPart behind_address(TextPart line)
{
	const char *colon = g_strrstr_len(line.text, (gssize)line.length, " : ");
	TextPart rest = line;
	TextPart word;

	if (colon)
		return strip(colon + 3, line.text + line.length - (colon + 3));
	word = text_part_next_word(&rest);
	if (word.length < 2 || word.text[0] != '0' || word.text[1] != 'x')
		return line;
	return strip(rest.text, rest.length);
}

/* Returns the part up to any of the characters. */
static TextPart until_any(TextPart text, const char *characters)
{
	size_t length = 0;

	while (length < text.length && !strchr(characters, text.text[length]))
		length++;
	return (TextPart){ text.text, length };
}

/* Returns what the last brackets hold, without an offset in the module. */
static TextPart module_in(TextPart symbol)
{
	const char *open = g_strrstr_len(symbol.text, (gssize)symbol.length, "[");

	if (!open)
		return (TextPart){ symbol.text, 0 };
	open++;
	return until_any((TextPart){ open, symbol.length - (open - symbol.text) }, "]+ ");
}

FrameLine frame_line_parse(const char *line)
{
	FrameLine frame = {
		.name = { line, 0 },
		.module = { line, 0 },
		.whole = strip(line, strlen(line)),
	};
	TextPart symbol = behind_address(frame.whole);

	/* "[no stack recorded]" names no module. */
	if (symbol.text == frame.whole.text && symbol.length && *symbol.text == '[')
		return frame;
	/* Of "[ext4+0x10/0x20]" only the module is known. */
	if (symbol.length && *symbol.text != '[')
		frame.name = until_any(symbol, "+ \t");
	frame.module = module_in(symbol);
	return frame;
}

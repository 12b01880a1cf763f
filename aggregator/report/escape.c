/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/escape.h"

#include <string.h>

/* Returns how many bytes at the start of text are one printable character, or 0. */
static gsize printable_bytes(const char *text, gsize length)
{
	gunichar character;

	if (!((guchar)*text & 0x80))
		return g_ascii_isprint(*text);
	character = g_utf8_get_char_validated(text, length);
	if (character == (gunichar)-1 || character == (gunichar)-2 || !g_unichar_isprint(character))
		return 0;
	return g_unichar_to_utf8(character, NULL);
}

void escape_append_len(GString *out, const char *text, gsize length)
{
	while (length) {
		gsize bytes = printable_bytes(text, length);

		if (bytes)
			g_string_append_len(out, text, bytes);
		else
			g_string_append_printf(out, "\\x%02x", (guchar)*text);
		bytes = MAX(bytes, 1);
		text += bytes;
		length -= bytes;
	}
}

void escape_append(GString *out, const char *text)
{
	escape_append_len(out, text, strlen(text));
}

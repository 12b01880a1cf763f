/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one place that makes text from outside printable. The text is cut into runs of printable
 * characters and single bytes that are written as \xNN. All renderers and messages go through it,
 * so a hostile name cannot steer a terminal.
 */
#include "base/escape.h"

#include <string.h>

/* Returns the length of the printable character at the start of text, or 0. */
static gsize printable_bytes(const char *text, gsize length)
{
	gunichar character;

	if (!((guchar)*text & 0x80))
		return g_ascii_isprint(*text);
	character = g_utf8_get_char_validated(text, (gssize)length);
	if (character == (gunichar)-1 || character == (gunichar)-2 || !g_unichar_isprint(character))
		return 0;
	return (gsize)g_unichar_to_utf8(character, NULL);
}

/* Returns the length of the printable prefix of text. */
static gsize printable_run(const char *text, gsize length)
{
	gsize run = 0;

	while (run < length) {
		gsize bytes;

		/* The fast path: nearly all text is printable ASCII. */
		while (run < length && text[run] >= ' ' && text[run] <= '~')
			run++;
		if (run == length)
			break;
		bytes = printable_bytes(text + run, length - run);
		if (!bytes)
			break;
		run += bytes;
	}
	return run;
}

void escape_hidden_append_len(GString *out, const char *text, gsize length)
{
	const char *end = text + length;

	while (text < end) {
		gsize run = printable_run(text, (gsize)(end - text));

		g_string_append_len(out, text, (gssize)run);
		text += run;
		if (text < end)
			g_string_append_printf(out, "\\x%02x", (guchar)*text++);
	}
}

/* Whether a backslash before this text could be taken for the begin of an escape. */
static bool may_look_escaped(const char *text, const char *end)
{
	return text == end || *text == 'x' || *text == '\\' ||
	       !printable_bytes(text, (gsize)(end - text));
}

void escape_append_len(GString *out, const char *text, gsize length)
{
	const char *end = text + length;

	while (text < end) {
		const char *slash = memchr(text, '\\', (size_t)(end - text));
		const char *stop = slash ? slash + 1 : end;

		escape_hidden_append_len(out, text, (gsize)(stop - text));
		text = stop;
		if (slash && may_look_escaped(text, end))
			g_string_append_c(out, '\\');
	}
}

void escape_append(GString *out, const char *text)
{
	escape_append_len(out, text, strlen(text));
}

char *escape_copy(const char *text)
{
	GString *out = g_string_new(NULL);

	escape_append(out, text);
	return g_string_free(out, FALSE);
}

bool escape_is_printable(const char *text)
{
	gsize length = strlen(text);
	const char *end = text + length;

	for (const char *at = strchr(text, '\\'); at; at = strchr(at + 1, '\\'))
		if (may_look_escaped(at + 1, end))
			return false;
	return printable_run(text, length) == length;
}

void escape_append_word(GString *out, const char *text)
{
	g_autofree char *quoted = g_shell_quote(text);
	bool is_plain = !strpbrk(text, " \t'\"\\$`*?[]();&|<>!#~");

	escape_append(out, is_plain ? text : quoted);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts, pads and measures text in columns of a terminal, character by character. No state. The
 * views and terminal.c use it for whatever has to fit into a line.
 */
#include "screen/fit.h"

#include <string.h>
#include <wchar.h>

/* A character of a text, as shown. */
typedef struct {
	const char *bytes;
	gsize length;     /* in bytes */
	unsigned columns; /* 1 or 2 */
	const char *next; /* the text after it */
} Shown;

static Shown shown_at(const char *text, bool utf8)
{
	gunichar character = g_utf8_get_char_validated(text, -1);
	bool is_valid = character < (gunichar)-2;
	int columns = is_valid ? wcwidth((wchar_t)character) : -1;
	gsize length = is_valid ? (gsize)(g_utf8_find_next_char(text, NULL) - text) : 1;

	if (columns < 1 || (!utf8 && character > '~'))
		return (Shown){ "?", 1, 1, text + length };
	return (Shown){ text, length, (unsigned)columns, text + length };
}

unsigned fit_columns(const char *text, bool utf8)
{
	unsigned columns = 0;

	while (*text) {
		Shown shown = shown_at(text, utf8);

		columns += shown.columns;
		text = shown.next;
	}
	return columns;
}

unsigned fit_cut(GString *out, const char *text, unsigned width, bool utf8)
{
	bool is_cut = fit_columns(text, utf8) > width;
	unsigned room = is_cut && width ? width - 1 : width, taken = 0;

	while (*text) {
		Shown shown = shown_at(text, utf8);

		if (taken + shown.columns > room)
			break;
		g_string_append_len(out, shown.bytes, (gssize)shown.length);
		taken += shown.columns;
		text = shown.next;
	}
	if (is_cut && width) {
		g_string_append_c(out, '~');
		taken++;
	}
	return taken;
}

static void append_spaces(GString *out, unsigned count)
{
	g_string_append_printf(out, "%*s", (int)count, "");
}

void fit_left(GString *out, const char *text, unsigned width, bool utf8)
{
	append_spaces(out, width - fit_cut(out, text, width, utf8));
}

void fit_right(GString *out, const char *text, unsigned width, bool utf8)
{
	g_autoptr(GString) cut = g_string_new(NULL);

	append_spaces(out, width - fit_cut(cut, text, width, utf8));
	g_string_append(out, cut->str);
}

/* Returns a number with fewer characters: without commas, else with three significant digits and
   its unit letter; the text unchanged if it is not a number. The caller frees it. */
static char *fit_shorter(const char *text, unsigned width)
{
	const char *mark = *text == '~' ? "~" : "";
	g_auto(GStrv) groups = g_strsplit(text + strlen(mark), ",", -1);
	g_autofree char *digits = g_strjoinv("", groups);
	static const char units[] = "kMGTPE";
	size_t unit = 0;
	char *end;
	double value = (double)g_ascii_strtoll(digits, &end, 10);

	if (!*digits || *end || ABS(value) < 1000)
		return g_strdup(text);
	if (strlen(mark) + strlen(digits) <= width)
		return g_strconcat(mark, digits, NULL);
	/* A number that would be shown as 1000 gets the next unit. */
	for (value /= 1000; ABS(value) >= 999.5 && units[unit + 1]; unit++)
		value /= 1000;
	return g_strdup_printf("%s%.*f%c", mark, ABS(value) < 9.95 ? 1 : 0, value, units[unit]);
}

void fit_number(GString *out, const char *text, unsigned width, bool utf8)
{
	g_autofree char *fitting =
		fit_columns(text, utf8) > width ? fit_shorter(text, width) : NULL;

	fit_right(out, fitting ? fitting : text, width, utf8);
}

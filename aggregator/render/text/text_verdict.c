/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verdict as text: its sentence in lines that fit the terminal, then the next command in one
 * line, so that it can be pasted. The layouts print it before their rows.
 */
#include "render/text/render_text.h"

#include <string.h>

enum { INDENT = 9, COLUMNS = 80, COLUMNS_MIN = 40 };

/* Appends words in lines of so many columns; all but the first are indented. */
static void append_wrapped(GString *out, const char *text, gsize columns)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	gsize used = INDENT;

	for (guint i = 0; words[i]; i++) {
		gsize width = (gsize)g_utf8_strlen(words[i], -1);

		if (i && used + 1 + width > columns) {
			g_string_append_printf(out, "\n%*s", INDENT, "");
			used = INDENT;
		} else if (i) {
			g_string_append_c(out, ' ');
			used++;
		}
		g_string_append(out, words[i]);
		used += width;
	}
	g_string_append_c(out, '\n');
}

void append_verdict(GString *out, const Verdict *verdict, unsigned columns)
{
	if (!verdict)
		return;
	g_string_append_printf(out, "%-*s", INDENT, "Verdict:");
	/* Some terminals break a line that fills them. */
	append_wrapped(out, verdict->sentence, columns ? MAX(columns - 1, COLUMNS_MIN) : COLUMNS);
	if (verdict->next)
		g_string_append_printf(out, "%-*s%s\n", INDENT, "Next:", verdict->next);
	g_string_append_c(out, '\n');
}

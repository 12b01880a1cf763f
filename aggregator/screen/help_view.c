/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/help_view.h"

#include "screen/fit.h"
#include "screen/keys.h"

#include <string.h>

enum { NAMES_WIDTH = 24, HINT_GAP = 2 };

/* Adds a text in lines that are no wider than there is room, each behind so many columns: of the
   first line they are given. */
static void add_wrapped(const ScreenState *state, const char *first, const char *text,
			unsigned width, Page *page)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);
	unsigned indentation = fit_columns(first, state->utf8), column = indentation;
	GString *line = g_string_new(first);

	for (char **word = words; *word; word++) {
		unsigned columns = fit_columns(*word, state->utf8);

		if (column > indentation && column + 1 + columns > width) {
			page_add(page->body, LOOK_PLAIN, g_string_free(line, FALSE));
			line = g_string_new(NULL);
			g_string_append_printf(line, "%*s", (int)indentation, "");
			column = indentation;
		}
		if (column > indentation)
			g_string_append_c(line, ' ');
		g_string_append(line, *word);
		column += columns + (column > indentation);
	}
	page_add(page->body, LOOK_PLAIN, g_string_free(line, FALSE));
}

void help_view_fill(const ScreenState *state, unsigned width, Page *page)
{
	page_add(page->head, LOOK_TITLE,
		 g_strdup_printf("%s: keys of the previous view", state->options->program));
	for (const Key *key = keys; key->names; key++) {
		g_autoptr(GString) names = g_string_new("  ");

		if (!(key->views & state->view_before_help))
			continue;
		fit_left(names, key->names, NAMES_WIDTH, state->utf8);
		add_wrapped(state, names->str, key->help, width, page);
	}
	page_add(page->body, LOOK_PLAIN, g_strdup(""));
	add_wrapped(state, "  ",
		    "BYTES are those allocated meanwhile, whether freed since or not: no memory in "
		    "use.",
		    width, page);
}

char *help_view_hints(const ScreenState *state, unsigned width)
{
	GString *line = g_string_new(NULL);

	for (const Key *key = keys; key->names; key++) {
		if (!key->hint || !(key->views & state->view))
			continue;
		if (line->len + HINT_GAP + strlen(key->hint) > width)
			break;
		g_string_append_printf(line, "%*s%s", line->len ? HINT_GAP : 0, "", key->hint);
	}
	return g_string_free(line, FALSE);
}

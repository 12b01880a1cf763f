/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/help_view.h"

#include "screen/fit.h"
#include "screen/keys.h"

#include <string.h>

enum { NAMES_WIDTH = 24, HINT_GAP = 2 };

void help_view_fill(const ScreenState *state, unsigned width, Page *page)
{
	page_add(page->head, LOOK_TITLE,
		 g_strdup_printf("%s: keys of the view before", state->options->program));
	for (const Key *key = keys; key->names; key++) {
		GString *line = g_string_new("  ");

		if (!(key->views & state->view_before_help))
			continue;
		fit_left(line, key->names, NAMES_WIDTH, state->utf8);
		fit_cut(line, key->help, width > NAMES_WIDTH + 2 ? width - NAMES_WIDTH - 2 : 0,
			state->utf8);
		page_add(page->body, LOOK_PLAIN, g_string_free(line, FALSE));
	}
	page_add(page->body, LOOK_PLAIN, g_strdup(""));
	page_add(page->body, LOOK_PLAIN,
		 g_strdup("  BYTES are those allocated meanwhile, whether freed since or not: no "
			  "memory"
			  " in use."));
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

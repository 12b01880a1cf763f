/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page of the current view: a table of views, the state line above, keys or the question below.
 * screen.c calls it.
 */
#include "screen/state.h"

#include "screen/detail_view.h"
#include "screen/page.h"
#include "screen/keys.h"
#include "screen/replay.h"
#include "screen/table_view.h"

#include <string.h>

enum { NAMES_WIDTH = 24, HINT_GAP = 2 };

/* Adds a text, wrapped to the available width. Each line is indented; the first one has the given
   start. */
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

/* The actions of the keys. */
static void fill_help(const ScreenState *state, unsigned width, Page *page)
{
	page_add(page->head, LOOK_TITLE,
		 g_strdup_printf("%s: keys of the previous view", state->options->program));
	for (const Key *key = keys; key->names; key++) {
		g_autoptr(GString) names = g_string_new("  ");

		if (!key_works(key, state, state->view_before_help))
			continue;
		fit_left(names, key->names, NAMES_WIDTH, state->utf8);
		add_wrapped(state, names->str, key->help, width, page);
	}
	page_add(page->body, LOOK_PLAIN, g_strdup(""));
	add_wrapped(state, "  ",
		    "BYTES were allocated in the interval, even if freed since: not memory in use.",
		    width, page);
}

static const struct {
	ScreenView view;
	void (*fill)(const ScreenState *state, unsigned width, Page *page);
} views[] = {
	{ VIEW_TABLE, table_view_fill },
	{ VIEW_DETAIL, detail_view_fill },
	{ VIEW_STACK, stack_view_fill },
	{ VIEW_HELP, fill_help },
};

/* Adds a part of a line only if all of it fits: a cut part would be misleading. */
static void add_part(GString *line, unsigned width, char *part)
{
	g_autofree char *owned = part;

	if (line->len && line->len + strlen(" | ") + strlen(owned) > width)
		return;
	g_string_append_printf(line, "%s%s", line->len ? " | " : "", owned);
}

/* Returns how many caches have no figure of held objects, as too many of their frees were not seen.
 */
static unsigned caches_not_paired(const RateTable *table)
{
	unsigned caches = 0;

	for (guint i = 0; i < table->rows->len; i++)
		caches += (g_array_index(table->rows, RateRow, i).lacks & ~table->sum.lacks &
			   NEEDS_HELD) != 0;
	return caches;
}

/* The most important part comes first. */
static char *state_line(const ScreenState *state, unsigned width)
{
	const ScreenOptions *options = state->options;
	const RateTable *table = state->shown.latest;
	unsigned not_paired = table ? caches_not_paired(table) : 0;
	bool with_stacks = options->stacks || state->open_cache;
	GString *line = g_string_new(NULL);

	if (state->recording)
		add_part(line, width, g_strdup_printf("recording %s", state->recording));
	if (state->tape && table) {
		GString *position = g_string_new(NULL);

		replay_append_position(position, state);
		add_part(line, width, g_string_free(position, FALSE));
	}
	if (table && table->sampling_period > 1)
		add_part(line, width, g_strdup_printf("sampled 1/%u", table->sampling_period));
	add_part(line, width, g_strdup_printf("lost %" G_GUINT64_FORMAT, state->events_lost));
	if (not_paired)
		add_part(line, width,
			 g_strdup_printf("HELD - of %u %s: frees not seen", not_paired,
					 not_paired == 1 ? "cache" : "caches"));
	if (table && table->walks_different)
		add_part(line, width,
			 g_strdup_printf("stack walks that differ: %" G_GUINT64_FORMAT,
					 table->walks_different));
	if (table && table->names_different)
		add_part(line, width,
			 g_strdup_printf("cache names that differ: %" G_GUINT64_FORMAT,
					 table->names_different));
	if (table && table->cost_percent >= 0)
		add_part(line, width, g_strdup_printf("cost %.1f %%", table->cost_percent));
	else
		add_part(line, width, g_strdup("cost -"));
	add_part(line, width, g_strdup_printf("collector %s", options->collector));
	add_part(line, width, g_strdup_printf("stacks %s", with_stacks ? "on" : "off"));
	add_part(line, width, g_strdup_printf("covers %s", options->covers));
	return g_string_free(line, FALSE);
}

/* Always shows the end of the typed text, whatever its length. */
static void add_prompt(const ScreenState *state, unsigned width, Page *page)
{
	const char *question = prompt_question(&state->prompt), *answer = state->prompt.text->str;
	unsigned room = width > fit_columns(question, state->utf8) + 1
				? width - fit_columns(question, state->utf8) - 1
				: 0;
	GString *line = g_string_new(question);

	while (*answer && fit_columns(answer, state->utf8) > room)
		answer = g_utf8_find_next_char(answer, NULL);
	page->cursor = (int)(fit_columns(question, state->utf8) +
			     fit_cut(line, answer, room, state->utf8));
	page_add(page->foot, LOOK_KEYS, g_string_free(line, FALSE));
}

Page *views_page(const ScreenState *state, unsigned width)
{
	Page *page = page_new();
	GString *hints;

	if (state->saying)
		page_add(page->head, LOOK_SAYING, g_strdup(state->saying));
	else
		page_add(page->head, LOOK_STATE, state_line(state, width));
	for (size_t i = 0; i < G_N_ELEMENTS(views); i++)
		if (views[i].view == state->view)
			views[i].fill(state, width, page);
	if (state->prompt.kind != PROMPT_NONE) {
		add_prompt(state, width, page);
		return page;
	}
	/* Hints for the keys of the view, as many as fit. */
	hints = g_string_new(NULL);
	for (const Key *key = keys; key->names; key++) {
		if (!key->hint || !key_works(key, state, state->view))
			continue;
		if (hints->len + HINT_GAP + strlen(key->hint) > width)
			break;
		g_string_append_printf(hints, "%*s%s", hints->len ? HINT_GAP : 0, "", key->hint);
	}
	page_add(page->foot, LOOK_KEYS, g_string_free(hints, FALSE));
	return page;
}

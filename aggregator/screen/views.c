/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/views.h"

#include "screen/detail_view.h"
#include "screen/fit.h"
#include "screen/help_view.h"
#include "screen/table_view.h"

#include <string.h>

static const struct {
	ScreenView view;
	void (*fill)(const ScreenState *state, unsigned width, Page *page);
} views[] = {
	{ VIEW_TABLE, table_view_fill },
	{ VIEW_DETAIL, detail_view_fill },
	{ VIEW_STACK, stack_view_fill },
	{ VIEW_HELP, help_view_fill },
};

/* Adds a part of a line, unless there is no room for all of it: what is cut would say less than it
   seems to. */
static void add_part(GString *line, unsigned width, char *part)
{
	g_autofree char *owned = part;

	if (line->len && line->len + strlen(" | ") + strlen(owned) > width)
		return;
	g_string_append_printf(line, "%s%s", line->len ? " | " : "", owned);
}

/* What matters most comes first. */
static char *state_line(const ScreenState *state, unsigned width)
{
	const ScreenOptions *options = state->options;
	const RateTable *table = state->shown.latest;
	bool with_stacks = options->stacks || state->open_cache;
	GString *line = g_string_new(NULL);

	if (state->recording)
		add_part(line, width, g_strdup_printf("recording %s", state->recording));
	if (table && table->sampling_period > 1)
		add_part(line, width, g_strdup_printf("sampled 1/%u", table->sampling_period));
	add_part(line, width, g_strdup_printf("lost %" G_GUINT64_FORMAT, state->events_lost));
	if (table && table->cost_percent >= 0)
		add_part(line, width, g_strdup_printf("cost %.1f %%", table->cost_percent));
	else
		add_part(line, width, g_strdup("cost -"));
	add_part(line, width, g_strdup_printf("collector %s", options->collector));
	add_part(line, width, g_strdup_printf("stacks %s", with_stacks ? "on" : "off"));
	add_part(line, width, g_strdup_printf("covers %s", options->covers));
	return g_string_free(line, FALSE);
}

static void add_state(const ScreenState *state, unsigned width, Page *page)
{
	if (state->saying)
		page_add(page->head, LOOK_SAYING, g_strdup(state->saying));
	else
		page_add(page->head, LOOK_STATE, state_line(state, width));
}

/* The end of what is typed is seen, whatever its length. */
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

	add_state(state, width, page);
	for (size_t i = 0; i < G_N_ELEMENTS(views); i++)
		if (views[i].view == state->view)
			views[i].fill(state, width, page);
	if (state->prompt.kind != PROMPT_NONE)
		add_prompt(state, width, page);
	else
		page_add(page->foot, LOOK_KEYS, help_view_hints(state, width));
	return page;
}

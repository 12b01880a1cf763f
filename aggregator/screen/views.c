/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen/views.h"

#include "screen/detail_view.h"
#include "screen/fit.h"
#include "screen/help_view.h"
#include "screen/table_view.h"

static const struct {
	ScreenView view;
	void (*fill)(const ScreenState *state, unsigned width, Page *page);
} views[] = {
	{ VIEW_TABLE, table_view_fill },
	{ VIEW_DETAIL, detail_view_fill },
	{ VIEW_STACK, stack_view_fill },
	{ VIEW_HELP, help_view_fill },
};

static char *state_line(const ScreenState *state)
{
	const ScreenOptions *options = state->options;
	const RateTable *table = state->shown.latest;
	bool with_stacks = options->stacks || state->open_cache;
	GString *line = g_string_new(NULL);

	if (state->recording)
		g_string_append_printf(line, "recording %s | ", state->recording);
	g_string_append_printf(
		line, "collector %s | stacks %s | covers %s | lost %" G_GUINT64_FORMAT " | cost ",
		options->collector, with_stacks ? "on" : "off", options->covers,
		state->events_lost);
	if (table && table->cost_percent >= 0)
		g_string_append_printf(line, "%.1f %%", table->cost_percent);
	else
		g_string_append(line, "-");
	if (table && table->sampling_period > 1)
		g_string_append_printf(line, " | sampled 1/%u", table->sampling_period);
	return g_string_free(line, FALSE);
}

static void add_state(const ScreenState *state, Page *page)
{
	if (state->saying)
		page_add(page->head, LOOK_SAYING, g_strdup(state->saying));
	else
		page_add(page->head, LOOK_STATE, state_line(state));
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

	add_state(state, page);
	for (size_t i = 0; i < G_N_ELEMENTS(views); i++)
		if (views[i].view == state->view)
			views[i].fill(state, width, page);
	if (state->prompt.kind != PROMPT_NONE)
		add_prompt(state, width, page);
	else
		page_add(page->foot, LOOK_KEYS, help_view_hints(state, width));
	return page;
}

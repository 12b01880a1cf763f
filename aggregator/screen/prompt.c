/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The question on the last line and the answer so far; a key changes or ends it. state.h has one as
 * a member, keys.c passes the keys, views.c shows it.
 */
#include "config.h"

#include "screen/prompt.h"

#include "screen/key_codes.h"

#include <curses.h>
#include <limits.h>

static const char *const questions[] = {
	[PROMPT_NONE] = "",
	[PROMPT_FILTER] = "show caches whose name contains: ",
	[PROMPT_WRITE] = "write this view to a new file: ",
	[PROMPT_RECORD] = "record into a new file: ",
};

void prompt_init(Prompt *prompt)
{
	prompt->kind = PROMPT_NONE;
	prompt->text = g_string_new(NULL);
}

void prompt_clear(Prompt *prompt)
{
	g_string_free(prompt->text, TRUE);
}

void prompt_ask(Prompt *prompt, PromptKind kind, const char *text)
{
	prompt->kind = kind;
	g_string_assign(prompt->text, text ? text : "");
}

/* Drops a character, which may have several bytes. */
static void drop_last(GString *text)
{
	while (text->len && ((guchar)text->str[text->len - 1] & 0xc0) == 0x80)
		g_string_truncate(text, text->len - 1);
	if (text->len)
		g_string_truncate(text, text->len - 1);
}

PromptResult prompt_key(Prompt *prompt, int key)
{
	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
		return PROMPT_DONE;
	case KEY_CODE_ESCAPE:
	case KEY_CODE_CTRL('c'):
		return PROMPT_GIVEN_UP;
	case KEY_BACKSPACE:
	case KEY_CODE_DELETE:
	case KEY_CODE_CTRL('h'):
		drop_last(prompt->text);
		return PROMPT_TYPING;
	case KEY_CODE_CTRL('u'):
		g_string_truncate(prompt->text, 0);
		return PROMPT_TYPING;
	default:
		if (key >= ' ' && key < 0x100 && prompt->text->len < NAME_MAX)
			g_string_append_c(prompt->text, (char)key);
		return PROMPT_TYPING;
	}
}

const char *prompt_question(const Prompt *prompt)
{
	g_assert(prompt->kind < G_N_ELEMENTS(questions));
	return questions[prompt->kind];
}

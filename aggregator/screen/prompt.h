/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* A question on the last line, and the typed answer. */

typedef enum {
	PROMPT_NONE,
	PROMPT_FILTER, /* part of a name; takes effect while typing */
	PROMPT_WRITE,  /* file name for the view */
	PROMPT_RECORD, /* file name for a recording */
} PromptKind;

typedef struct {
	PromptKind kind;
	GString *text;
} Prompt;

typedef enum { PROMPT_TYPING, PROMPT_DONE, PROMPT_GIVEN_UP } PromptResult;

/* Prepares a prompt without a question; frees its text. */
void prompt_init(Prompt *prompt);
void prompt_clear(Prompt *prompt);

/* Begins with an editable text, which may be NULL. */
void prompt_ask(Prompt *prompt, PromptKind kind, const char *text);

/* Handles a key of ncurses, or a byte of a character. The kind stays until the next question. */
PromptResult prompt_key(Prompt *prompt, int key);

/* Returns the question, "write the view to file: ". */
const char *prompt_question(const Prompt *prompt);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/state.h"

enum {
	KEY_CODES = 6,
	KEY_OF_RECORDING = 1 << 4, /* beside the views: only while a recording is shown */
};

G_STATIC_ASSERT(!(KEY_OF_RECORDING & VIEWS_ALL));

/* A key and its action. The same table provides the hints of the last line and the help. */
typedef struct {
	int codes[KEY_CODES]; /* of ncurses; ended by 0 */
	const char *names;    /* as shown in the help */
	const char *hint;     /* "/ filter" for the last line; NULL: only in the help */
	const char *help;
	unsigned views; /* bits of ScreenView in which it works; KEY_OF_RECORDING */
	void (*act)(ScreenState *state, int key);
} Key;

/* All keys, ended by one without names. */
extern const Key keys[];

/* Whether a key works in a view of what is shown. */
bool key_works(const Key *key, const ScreenState *state, ScreenView view);

/* Executes a key in the current view, or passes it to the open question. */
void keys_press(ScreenState *state, int key);

/* Returns the question, "write the view to file: ". */
const char *prompt_question(const Prompt *prompt);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/state.h"

enum { KEY_CODES = 6 };

/* What a key does; the same table makes the hints of the last line and the help. */
typedef struct {
	int codes[KEY_CODES]; /* of ncurses; 0 behind the last one */
	const char *names;    /* as the help has them */
	const char *hint;     /* "/ filter" for the last line; NULL: only the help has it */
	const char *help;
	unsigned views; /* bits of ScreenView where it does something */
	void (*act)(ScreenState *state, int key);
} Key;

/* All keys, ended by one without names. */
extern const Key keys[];

/* Does what a key does in the view that is shown, or gives it to the question that is asked. */
void keys_press(ScreenState *state, int key);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"

#include <glib.h>
#include <stdbool.h>

/* The terminal on stdout, used through ncurses. A program has at most one. */
typedef struct Terminal Terminal;

/* Returns the terminal, registered with the watchdog, or NULL with error set. If stderr is a
   terminal, its output is kept in an unnamed file until the terminal is closed. */
Terminal *terminal_open(GError **error);

/* Restores everything, and finally prints the kept output of stderr. */
void terminal_close(Terminal *terminal);

/* Whether it can show more than ASCII. */
bool terminal_is_utf8(const Terminal *terminal);

/* Returns the descriptor of its keys, for polling. */
int terminal_fd(const Terminal *terminal);

/* Returns a key of ncurses; -1: none for now. */
int terminal_key(Terminal *terminal);

/* Checks whether its size has changed, or another program has used it since the last call. If so,
   returns true, and everything is redrawn. */
bool terminal_has_changed(Terminal *terminal);

/* Returns the last line that was printed to stderr since the last call, escaped, or NULL. The
   caller frees it. */
char *terminal_news(Terminal *terminal);

/* Makes the next page be drawn completely. */
void terminal_forget(Terminal *terminal);

/* Returns the width in columns. */
unsigned terminal_width(const Terminal *terminal);

/* Draws the page. Returns the number of visible lines of the body. */
unsigned terminal_draw(Terminal *terminal, const Page *page);

/* Drops the waiting output if the terminal accepts none. */
void terminal_drop_output(Terminal *terminal);

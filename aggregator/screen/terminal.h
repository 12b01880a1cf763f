/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/page.h"

#include <glib.h>
#include <stdbool.h>

/* The terminal on stdout, taken over by ncurses. There is one in a program. */
typedef struct Terminal Terminal;

/* Returns it, or NULL with error set; registered with the watchdog. Until it is closed, what is
   printed to stderr is kept in a file without a name, if stderr is a terminal. */
Terminal *terminal_open(GError **error);

/* Puts everything back, as the last of it; prints what was kept of stderr. */
void terminal_close(Terminal *terminal);

/* Whether it shows more than ASCII. */
bool terminal_is_utf8(const Terminal *terminal);

/* Descriptor of its keys, to wait for. */
int terminal_fd(const Terminal *terminal);

/* Returns a key of ncurses; -1: none for now. */
int terminal_key(Terminal *terminal);

/* Checks whether its size has changed, or another program has used it meanwhile; all is drawn again
   then. Returns true if so. */
bool terminal_has_changed(Terminal *terminal);

/* Returns the last line that was printed to stderr since the last call, escaped, or NULL; the
   caller frees it. */
char *terminal_news(Terminal *terminal);

/* Draws all of the next page, whatever is there. */
void terminal_forget(Terminal *terminal);

unsigned terminal_width(const Terminal *terminal);

/* Draws the page. Returns how many lines of the body are seen. */
unsigned terminal_draw(Terminal *terminal, const Page *page);

/* Drops what waits to be shown, where the terminal takes nothing. */
void terminal_drop_output(Terminal *terminal);

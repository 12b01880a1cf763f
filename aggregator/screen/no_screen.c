/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The screen of a build without ncurses: its start reports that there is none. Compiled instead of
 * screen.c, so that callers need no condition.
 */
#include "screen/screen.h"

#include <gio/gio.h>

Screen *screen_start(const ScreenOptions *options, GError **error)
{
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED,
		    "no interactive mode: %s was built without ncurses; -C prints plain tables",
		    options->program);
	return NULL;
}

void screen_give_table(Screen *screen, RateTable *table)
{
	(void)screen;
	rate_table_free(table);
}

void screen_give_detail(Screen *screen, RateDetail *detail)
{
	(void)screen;
	rate_detail_free(detail);
}

void screen_say(Screen *screen, const char *text)
{
	(void)screen;
	(void)text;
}

void screen_end_recorded(Screen *screen)
{
	(void)screen;
}

void screen_set_recording(Screen *screen, const char *path)
{
	(void)screen;
	(void)path;
}

bool screen_next_command(Screen *screen, ScreenCommand *command)
{
	(void)screen;
	*command = (ScreenCommand){ .kind = SCREEN_NOTHING };
	return false;
}

void screen_end(Screen *screen)
{
	(void)screen;
}

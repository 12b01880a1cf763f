/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_row.h"
#include "rates/rate_detail.h"
#include "rates/rate_table.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The screen is the interactive mode: a thread of its own draws what it is given and reads keys. It
 * knows neither sessions nor collectors; what the user wants of them are commands, which the
 * program asks for now and then. Nothing here ever waits for the terminal, but screen_end().
 */
typedef struct Screen Screen;

/* Borrowed until screen_end(). */
typedef struct {
	const char *program;
	unsigned rows_max;            /* 0: all caches */
	const Metric *const *columns; /* in their order, ended by NULL; the cache's name first */
	const Metric *sort;           /* at first */
	double interval_s;            /* at first */
	bool per_second;              /* numbers are of a second, not of an interval */
	bool recorded;                /* tables are of a recording, which has an end */
	bool stacks;                  /* all are collected from the start */
	bool behind_from_start;       /* what is behind a cache is of all intervals so far */
	const char *collector;        /* "perf" */
	const char *covers;           /* "kmalloc, cache" */
} ScreenOptions;

/* Takes the terminal over: stdout, with the keys of stdin or else /dev/tty. What is printed to a
   stderr that is that terminal comes when the screen is gone. Returns NULL with error set where
   that cannot be; the watchdog should run by then, as it restores the terminal after a kill. */
Screen *screen_start(const ScreenOptions *options, GError **error);

/* Shows an interval; taken over. */
void screen_give_table(Screen *screen, RateTable *table);

/* Shows what is behind the cache that is open; taken over. */
void screen_give_detail(Screen *screen, RateDetail *detail);

/* Shows a line for some seconds: what became of a command. */
void screen_say(Screen *screen, const char *text);

/* Sets the path of the recording that runs; NULL: none. Until it is called, the screen assumes that
   SCREEN_RECORD began one. */
void screen_set_recording(Screen *screen, const char *path);

/* What the user wants. */
typedef enum {
	SCREEN_NOTHING,
	SCREEN_QUIT,
	SCREEN_INTERVAL, /* of that many seconds from now on */
	SCREEN_OPEN,     /* what is behind the cache of that name */
	SCREEN_CLOSE,    /* ... is not looked at any more */
	SCREEN_GROUP,    /* ... is to be grouped by that key: "process", "cgroup" */
	SCREEN_RECORD,   /* into a new file of that name */
	SCREEN_STOP_RECORDING,
} ScreenCommandKind;

typedef struct {
	ScreenCommandKind kind;
	double seconds;
	char *text; /* owned by the receiver; NULL: none */
} ScreenCommand;

/* Takes the next command; returns whether there was one. Never waits. */
bool screen_next_command(Screen *screen, ScreenCommand *command);

/* Ends it: the terminal is as it was, and what was kept of stderr is printed. */
void screen_end(Screen *screen);

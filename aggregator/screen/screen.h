/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_row.h"
#include "rates/rate_detail.h"
#include "rates/rate_table.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The screen is the interactive mode: a thread that draws the data it receives and reads keys. It
 * does not use sessions or collectors. It queues the user's commands, and the program polls them.
 * No function waits for the terminal, except screen_end().
 */
typedef struct Screen Screen;

/* Borrowed until screen_end(). */
typedef struct {
	const char *program;
	unsigned rows_max;            /* 0: all caches */
	const Metric *const *columns; /* in this order, NULL-terminated; the cache's name first */
	const Metric *sort;           /* initial sort order */
	double interval_s;            /* initial interval */
	bool per_second;              /* numbers are per second, not per interval */
	bool recorded;                /* tables are of a recording, which has an end */
	uint64_t recorded_end_ns;     /* of its intervals, on its clock; 0: unknown */
	size_t kept_bytes_max;        /* for the earlier tables of a recording */
	bool stacks;                  /* stacks of all caches are collected from the start */
	bool behind_from_start;       /* a detail covers all intervals so far */
	const char *collector;        /* "perf" */
	const char *covers;           /* "kmalloc, cache" */
} ScreenOptions;

/* Takes over the terminal: stdout, with the keys of stdin or else /dev/tty. If stderr is a
   terminal, its output is printed after the screen is closed. Returns NULL with error set on
   failure. The watchdog should run by then, because it restores the terminal after a kill. */
Screen *screen_start(const ScreenOptions *options, GError **error);

/* Shows an interval; takes ownership. */
void screen_give_table(Screen *screen, RateTable *table);

/* Shows the detail of the open cache; takes ownership. */
void screen_give_detail(Screen *screen, RateDetail *detail);

/* Shows a line for some seconds: the result of a command. */
void screen_say(Screen *screen, const char *text);

/* All tables of the recording were given. */
void screen_end_recorded(Screen *screen);

/* Sets the path of the running recording; NULL: none. Until it is called, the screen assumes that
   SCREEN_RECORD began one. */
void screen_set_recording(Screen *screen, const char *path);

/* Commands of the user. */
typedef enum {
	SCREEN_NOTHING,
	SCREEN_QUIT,
	SCREEN_INTERVAL, /* use intervals of that many seconds from now on */
	SCREEN_OPEN,     /* show the detail of the cache of that name */
	SCREEN_CLOSE,    /* ... no longer show it */
	SCREEN_GROUP,    /* ... group it by that key: "process", "cgroup" */
	SCREEN_RECORD,   /* record to a new file of that name */
	SCREEN_STOP_RECORDING,
	/* Of a recording: */
	SCREEN_HOLD,   /* stop reading */
	SCREEN_PLAY,   /* read on at its own speed */
	SCREEN_STEP,   /* read up to the next table, and stop */
	SCREEN_TO_END, /* read the rest without waiting */
} ScreenCommandKind;

typedef struct {
	ScreenCommandKind kind;
	double seconds;
	char *text; /* owned by the receiver; NULL: none */
} ScreenCommand;

/* Returns whether there was a command, and removes it from the queue. Never waits. */
bool screen_next_command(Screen *screen, ScreenCommand *command);

/* Closes the screen: restores the terminal, and prints the kept output of stderr. */
void screen_end(Screen *screen);

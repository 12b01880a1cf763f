/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/history.h"
#include "screen/prompt.h"
#include "screen/screen.h"

#include <glib.h>
#include <stdbool.h>

/* What the screen knows and what the user has chosen. It belongs to the screen's thread, and knows
   no terminal: keys go in, pages and commands come out. */

typedef enum {
	VIEW_TABLE = 1 << 0,  /* all caches */
	VIEW_DETAIL = 1 << 1, /* what is behind one */
	VIEW_STACK = 1 << 2,  /* one stack of it */
	VIEW_HELP = 1 << 3,
	VIEWS_ALL = VIEW_TABLE | VIEW_DETAIL | VIEW_STACK | VIEW_HELP,
} ScreenView;

/* Tables of the same instant. */
typedef struct {
	RateTable *latest; /* owned; NULL: none yet */
	RateTable *total;  /* owned; the sum of all intervals */
} RateTables;

typedef struct {
	const ScreenOptions *options;
	bool utf8; /* what the terminal can show */
	ScreenView view;
	ScreenView view_before_help;
	RateTables shown;
	RateTables newest; /* while paused; else empty */
	History *history;
	History *shown_history; /* as it was when it was paused; NULL: it is not */
	uint64_t events_lost;
	double interval_s;
	bool is_paused;
	bool is_cumulative;
	bool is_exact; /* bytes in full, not in KiB, MiB */
	const Metric *sort;
	char *filter;      /* part of the names shown; NULL: all */
	guint table_row;   /* selected, of those shown */
	char *table_label; /* stays selected wherever its row goes; NULL: table_row does */
	char *open_cache;  /* its name; NULL: none is open */
	char *open_label;
	RateDetail *detail; /* owned; NULL: has not come yet */
	guint group;        /* number of what its allocations are grouped by */
	guint detail_row;
	FrameList *stack_frames; /* of the stack that is selected, or open; NULL: none is */
	char *stack_label;
	guint stack_line;
	Prompt prompt;
	char *write_to;  /* the file that the user wants the page in; NULL: none */
	char *recording; /* its name; NULL: none runs */
	char *saying;    /* NULL: nothing */
	gint64 saying_until_us;
	unsigned lines;        /* of the body that are shown: how far a page key goes */
	GAsyncQueue *commands; /* (element-type ScreenCommand*); borrowed */
	bool wants_redraw;     /* of all that is on the terminal */
} ScreenState;

void state_init(ScreenState *state, const ScreenOptions *options, GAsyncQueue *commands);
void state_clear(ScreenState *state);

/* Both are taken over. */
void state_take_table(ScreenState *state, RateTable *table);
void state_take_detail(ScreenState *state, RateDetail *detail);

/* Shows a line for some seconds. */
void state_say(ScreenState *state, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* text may be NULL. */
void state_command(ScreenState *state, ScreenCommandKind kind, double seconds, const char *text);

/* Freezes what is shown, or goes on with what is newest. */
void state_pause(ScreenState *state, bool is_paused);

/* Returns the table that is shown; NULL: none has come yet. */
const RateTable *state_table(const ScreenState *state);

/* Leaves the cache that is open, if one is. */
void state_close_cache(ScreenState *state);

/* Names of what a cache's allocations can be grouped by, ended by NULL. */
extern const char *const state_groups[];

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "screen/history.h"
#include "screen/page.h"
#include "screen/screen.h"

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

/* The screen's data and the user's choices. Belongs to the screen's thread and is independent of
   the terminal: its input is keys, its output pages and commands. */

typedef enum {
	VIEW_TABLE = 1 << 0,  /* all caches */
	VIEW_DETAIL = 1 << 1, /* the detail of a cache */
	VIEW_STACK = 1 << 2,  /* one stack of the detail */
	VIEW_HELP = 1 << 3,
	VIEWS_ALL = VIEW_TABLE | VIEW_DETAIL | VIEW_STACK | VIEW_HELP,
} ScreenView;

/* Tables of the same moment. */
typedef struct {
	RateTable *latest; /* owned; NULL: none yet */
	RateTable *total;  /* owned; the sum of all intervals */
} RateTables;

typedef struct {
	const ScreenOptions *options;
	bool utf8; /* the terminal can show UTF-8 */
	ScreenView view;
	ScreenView view_before_help;
	RateTables shown;
	RateTables newest; /* while paused; else empty */
	/* Of a recording: what has come, and what is shown of it. */
	Tape *tape;     /* owned; NULL: a live host */
	guint position; /* index of the shown table on the tape */
	gint64 shown_at_us;
	guint steps_awaited; /* so many next tables are shown although it is paused */
	bool has_ended;      /* all of the recording was read */
	History *history;
	History *shown_history; /* the history of the shown tables; NULL: the newest one */
	uint64_t events_lost;
	double interval_s;
	bool is_paused;
	bool is_cumulative;
	bool is_exact; /* show bytes in full, not in KiB or MiB */
	const Metric *sort;
	char *filter;      /* show only names that contain it; NULL: all */
	guint table_row;   /* selected row of those shown */
	char *table_label; /* stays selected when its row moves; NULL: table_row is selected */
	char *open_cache;  /* name of the open cache; NULL: none */
	char *open_label;
	RateDetail *detail; /* owned; NULL: not received yet */
	guint group;        /* index of the grouping of its allocations */
	guint detail_row;
	FrameList *stack_frames; /* of the selected or open stack; NULL: none */
	char *stack_label;
	guint stack_line;
	Prompt prompt;
	char *write_to;  /* file to write the page to; NULL: none */
	char *recording; /* its name; NULL: not recording */
	char *saying;    /* NULL: none */
	gint64 saying_until_us;
	unsigned lines;        /* visible lines of the body: the distance of a page key */
	GAsyncQueue *commands; /* (element-type ScreenCommand*); borrowed */
	bool wants_redraw;     /* of the whole terminal */
} ScreenState;

/* Prepares the state, and frees what it owns. Options and commands are borrowed. */
void state_init(ScreenState *state, const ScreenOptions *options, GAsyncQueue *commands);
void state_clear(ScreenState *state);

/* Both take ownership. A table of a live run is shown at once; see replay_take_table(). */
void state_take_table(ScreenState *state, RateTable *table);
void state_take_detail(ScreenState *state, RateDetail *detail);

/* Shows a line for some seconds. */
void state_say(ScreenState *state, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Ends the line: it no longer holds. */
void state_unsay(ScreenState *state);

/* text may be NULL. */
void state_command(ScreenState *state, ScreenCommandKind kind, double seconds, const char *text);

/* Shows these tables instead; takes ownership. */
void state_show(ScreenState *state, RateTables tables);

/* Freezes the shown data of a live host, or continues with the newest. */
void state_pause(ScreenState *state, bool is_paused);

/* Returns the shown table; NULL: none received yet. */
const RateTable *state_table(const ScreenState *state);

/* Leaves the open cache, if any. */
void state_close_cache(ScreenState *state);

/* The possible groupings of a cache's allocations, NULL-terminated. */
extern const char *const state_groups[];

/* Returns the page of the current view for that width: the state line, the view, and the keys or
   the open question. The caller frees it. */
Page *views_page(const ScreenState *state, unsigned width);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_table.h"
#include "screen/history.h"
#include "screen/page.h"
#include "screen/prompt.h"
#include "screen/screen.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A Tape keeps the tables of a recording, so that earlier ones can be shown again without a second
 * reading. Its memory is bounded: the oldest tables are dropped, and stay in the sums.
 */
typedef struct Tape Tape;

enum { TAPE_TABLES_MAX = 3600 };

/* Returns an empty tape for TAPE_TABLES_MAX tables that take about bytes_max bytes together; the
   newest table is always kept. */
Tape *tape_new(size_t bytes_max);
void tape_free(Tape *tape);

/* Adds the next table; takes ownership. Returns the number of old tables that were dropped. */
guint tape_add(Tape *tape, RateTable *table);

/* Adds a table that is likely the rest of the recording, shorter than an interval; takes ownership.
   It counts in the sum of all tables, and becomes one of the tables if another one follows. */
void tape_add_rest(Tape *tape, RateTable *table);

/* Returns the number of kept tables. */
guint tape_length(const Tape *tape);

/* Returns a kept table, borrowed; 0 is the oldest one. */
const RateTable *tape_table(const Tape *tape, guint index);

/* Returns the sum of all tables up to that one, including those dropped; the caller owns it. Up to
   the newest one, it includes the rest. */
RateTable *tape_sum(const Tape *tape, guint index);

/* Returns the rates of the kept tables up to that one; the caller owns it. */
History *tape_history(const Tape *tape, guint index);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "rates/rate_table.h"
#include "session/session.h"
#include "tools/rate_feed.h"
#include "tools/tool.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The interactive mode of a stream: shows its tables on a screen, and executes the user's commands.
 * It belongs to the first thread.
 */
typedef struct RateScreen RateScreen;

/* Whether these options and the terminal allow the interactive mode. */
bool rate_screen_is_wanted(const Options *options);

/* Takes over the terminal. Returns NULL with error set on failure. */
RateScreen *rate_screen_new(Options *options, Session *session, GError **error);

/* Shows a table; takes ownership. */
void rate_screen_give(RateScreen *screen, RateTable *table);

/* Executes the new commands of the user. Returns false to quit. */
bool rate_screen_poll(RateScreen *screen, RateFeed *feed);

/* Reports the end, and shows the data until the user quits. */
void rate_screen_linger(RateScreen *screen, RateFeed *feed);

/* Restores the terminal, ends parallel collections, and frees the screen. */
void rate_screen_free(RateScreen *screen);

/* Shows every interval of a stream as it arrives: slabratetop's. */
extern const ToolStream rate_run_stream;

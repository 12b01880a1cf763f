/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/options.h"
#include "rates/rate_table.h"
#include "session/session.h"
#include "tools/rate_feed.h"

#include <glib.h>
#include <stdbool.h>

/*
 * The interactive mode beside a stream: it shows its tables on a screen, and does what the user
 * wants of the run. It belongs to the first thread.
 */
typedef struct RateScreen RateScreen;

/* Whether these options ask for it: where somebody looks and types. */
bool rate_screen_is_wanted(const Options *options);

/* Takes the terminal over. Returns NULL with error set where that cannot be. */
RateScreen *rate_screen_new(Options *options, Session *session, GError **error);

/* Shows a table; taken over. */
void rate_screen_give(RateScreen *screen, RateTable *table);

/* Does what the user has asked for since. Returns false: to quit. */
bool rate_screen_poll(RateScreen *screen, RateFeed *feed);

/* Says so, and shows what there is until the user quits. */
void rate_screen_linger(RateScreen *screen, RateFeed *feed);

/* Gives the terminal back, ends what was begun beside the run, and frees the screen. */
void rate_screen_free(RateScreen *screen);

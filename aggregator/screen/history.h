/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_table.h"

#include <glib.h>
#include <stddef.h>

enum { HISTORY_INTERVALS = 60 };

/* History stores the rate of each cache in the last intervals, in bytes allocated per second. */
typedef struct History History;

/* Returns a new one; free it with history_free(). */
History *history_new(void);
History *history_copy(const History *history);
void history_free(History *history);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(History, history_free)

/* Adds the newest interval. */
void history_take(History *history, const RateTable *table);

/* Returns the last count rates of a cache by its label, oldest first; 0 for unknown ones. */
void history_get(const History *history, const char *label, double *rates, unsigned count);

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

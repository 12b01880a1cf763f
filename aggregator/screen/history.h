/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_table.h"

#include <glib.h>

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

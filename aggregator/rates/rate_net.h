/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_table.h"

/* Whether a table with these columns, ended by NULL, shows the net. */
bool rate_net_is_shown(const Metric *const *columns);

/* Returns the reason for an unknown net as a word of JSON, "slabinfo_differs"; NULL if the net is
   known. */
const char *rate_net_word(RateNet state);

/* Appends a line, ended by end, for each reason for unknown nets: the first caches that it applies
   to, and that the sum excludes them. */
void rate_net_append_reasons(GString *out, const RateTable *table, const char *end);

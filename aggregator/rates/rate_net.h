/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_table.h"

/* Whether a table with these columns, ended by NULL, shows the net. */
bool rate_net_is_shown(const Metric *const *columns);

/* Returns why a net is not known as a word of JSON, "slabinfo_differs"; NULL where it is. */
const char *rate_net_word(RateNet state);

/* Appends for each reason why rows have no net a line, which ends with end: the first caches that
   it is true of, and that the sum leaves them out. */
void rate_net_append_reasons(GString *out, const RateTable *table, const char *end);

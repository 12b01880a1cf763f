/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_detail.h"
#include "rates/rate_table.h"

/* Tables without a run: the same each time. */

/* Returns interval number: filp has 100 * (number + 1) allocations of 256 bytes, dentry 1000 of
   192, others fewer; one is not known by name. */
RateTable *made_table(uint64_t number);

/* Returns the detail of a cache after so many seconds: two stacks, grouped by that key. */
RateDetail *made_detail(const char *cache, double seconds, const char *key);

/* The columns of every table, ended by NULL. */
extern const Metric *const made_columns[];

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rates/rate_table.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * RateTotals adds up the tables of a run, for systems that store counters. No counter ever falls,
 * and a cache that has a row keeps it, even if nothing is allocated from it any more.
 */

/* Rows; the last one is that of all caches which come later. */
enum { RATE_TOTALS_ROWS_MAX = 1000 };
#define RATE_TOTALS_OTHER "(other)"

/* Counters of the whole run that no table has, as they are now, and a reading. */
typedef struct {
	uint64_t events_received; /* of the whole host, counted or not */
	LossRange events_lost;
	uint64_t untraced_ns; /* time of online CPUs */
	uint64_t probe_ns;    /* sum over all CPUs */
	/* The newest reading of the objects in use, borrowed for the call; NULL: none. */
	const Slabinfo *slabinfo;
} RateRunCounters;

typedef struct {
	/* (element-type RateRow) in the order of first appearance: sums since the start of the run;
	   objects in use and held objects are those of the newest table. */
	GArray *rows;
	uint64_t observed_ns;
	uint64_t events_received;
	LossRange events_lost;
	uint64_t untraced_ns;
	uint64_t probe_ns;
	bool sampled;      /* some figures are estimates */
	GHashTable *known; /* private: (element-type utf8 guint) index + 1 by label */
	TextPool *texts;   /* private */
} RateTotals;

/* Returns a new one; free it with rate_totals_free(). */
RateTotals *rate_totals_new(void);
void rate_totals_free(RateTotals *totals);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateTotals, rate_totals_free)

/* Adds the next table of the run. */
void rate_totals_add(RateTotals *totals, const RateTable *table, const RateRunCounters *now);

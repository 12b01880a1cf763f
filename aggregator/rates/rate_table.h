/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/intervals.h"
#include "count/loss.h"
#include "names/slabinfo.h"
#include "rates/net_check.h"
#include "rates/rate_row.h"
#include "record/run_info.h"
#include "record/run_text.h"

#include <glib.h>
#include <stdbool.h>

/*
 * A RateTable is what the slab caches of an interval had: a value of its own, that borrows nothing
 * and that any one thread may have.
 */
typedef struct {
	uint64_t number;   /* of the interval, from 0 */
	uint64_t start_ns; /* monotonic */
	uint64_t end_ns;
	bool partial;         /* events of it came too late: they count in the one after it */
	uint64_t realtime_ns; /* of its end, since 1970; 0: not known */
	char *load_average;   /* the line of /proc/loadavg, escaped; NULL: not known */
	GArray *rows;         /* (element-type RateRow), as sorted */
	RateRow sum;
	LossRange events_lost;    /* known since the table before */
	bool kfree_is_blind;      /* an interval so far had frees of kmalloc that named no cache */
	guint net_unknown;        /* rows whose net is not known, and not part of the sum's */
	uint32_t sampling_period; /* one event of so many was taken somewhere so far; 1: all were */
	double cost_percent;      /* of all CPUs' time, that probes took; < 0: not measured */
	GStringChunk *texts;      /* private */
} RateTable;

/* What a table is made with. Everything is borrowed for the call. */
typedef struct {
	const RunInfo *info; /* of the stream */
	const RunText *text;
	const GArray *cells; /* (element-type CellFilter): what does not count */
	const Metric *sort;
	const Slabinfo *slabinfo; /* the newest reading; NULL: none */
	/* Given what the rows have, and then asked; const where it has judged already. NULL: net
	   figures are taken as they are. */
	NetCheck *net;
	const NetReading *net_reading; /* to judge by now; NULL: as before */
	const NetCheck *net_judged;    /* in place of the two: of a whole recording; NULL: none */
	unsigned needs;                /* MetricNeed: what the table is to show */
	bool kfree_is_blind;           /* as a table before it has it */
	LossRange events_lost;         /* what the table is to show */
	uint32_t sampling_period;      /* likewise */
	double cost_percent;
} RateRequest;

RateTable *rate_table_new(const Interval *interval, const RateRequest *request);
void rate_table_free(RateTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateTable, rate_table_free)

/* Adds a later table to a sum of tables, which is sorted anew: what is of an instant is the later
   one's. A cache with allocations in both has no busiest process any more. */
void rate_table_add(RateTable *sum, const RateTable *later, const Metric *sort);

/* Returns a copy. */
RateTable *rate_table_copy(const RateTable *table);

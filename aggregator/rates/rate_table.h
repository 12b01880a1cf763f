/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_pool.h"
#include "count/intervals.h"
#include "count/loss.h"
#include "names/slabinfo.h"
#include "rates/net_check.h"
#include "rates/rate_row.h"
#include "record/run_info.h"
#include "record/run_text.h"
#include "table/cell_filter.h"
#include "table/view_source.h"

#include <glib.h>
#include <stdbool.h>

/* Returns a row for each slab cache (element-type RateRow) with its names and what it holds, by the
   held cells of the source that the filters (element-type CellFilter), prepared for it, keep. Its
   texts belong to the source. */
GArray *rate_held_rows(const ViewSource *source, const GArray *filters, CellFilters *prepared);

/*
 * A RateTable contains the figures of the slab caches in an interval. It borrows nothing; one
 * thread at a time may use it.
 */
typedef struct {
	uint64_t number;   /* of the interval, from 0 */
	uint64_t start_ns; /* monotonic */
	uint64_t end_ns;
	bool partial;         /* some events came too late: they count in the next interval */
	uint64_t realtime_ns; /* of its end, since 1970; 0: unknown */
	char *load_average;   /* the line of /proc/loadavg, escaped; NULL: unknown */
	GArray *rows;         /* (element-type RateRow), sorted */
	RateRow sum;
	LossRange events_lost;    /* found since the previous table */
	bool kfree_is_blind;      /* so far there were kmalloc frees without a cache */
	guint net_unknown;        /* rows whose net is unknown, and not in the sum's */
	uint32_t sampling_period; /* largest so far: one of this many events was taken; 1: all */
	double cost_percent;      /* of all CPUs' time, spent in probes; < 0: not measured */
	uint64_t walks_different; /* so far: walks of stacks that differed from the kernel's */
	uint64_t names_different; /* so far: names of slab caches that differed from the probes' */
	/* (element-type HeldCheckRow), owned: what slab caches held at its end, beside a reading of
	   /proc/slabinfo; NULL: there is none to compare with. */
	GArray *held_compared;
	TextPool *texts; /* private */
} RateTable;

/* The input of a table. Everything is borrowed for the call. */
typedef struct {
	const RunInfo *info; /* of the stream */
	const RunText *text;
	const GArray *cells; /* (element-type CellFilter): select what counts */
	const Metric *sort;
	const Slabinfo *slabinfo; /* the newest reading; NULL: none */
	/* Receives the rows' counts, then judges them. NULL: net figures are not checked. */
	NetCheck *net;
	const NetReading *net_reading; /* reading for a new judgement; NULL: keep the old one */
	const NetCheck *net_judged;    /* instead of both: for a whole recording; NULL: none */
	unsigned needs;                /* MetricNeed: the data that the table shows */
	bool kfree_is_blind;           /* as in the previous table */
	/* (element-type RateRow) of rate_held_rows(): what is held at the end of the interval.
	   NULL: allocations are not paired. */
	const GArray *held;
	GArray *held_compared;    /* (element-type HeldCheckRow), to show in the table; or NULL */
	bool samples_addresses;   /* the events are those of a sample of addresses */
	LossRange events_lost;    /* to show in the table */
	uint32_t sampling_period; /* to show in the table */
	double cost_percent;
} RateRequest;

/* Returns a new one; free it with rate_table_free(). */
RateTable *rate_table_new(const Interval *interval, const RateRequest *request);
void rate_table_free(RateTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RateTable, rate_table_free)

/* Adds a later table to a sum of tables, and sorts it again. Instantaneous figures are those of the
   later table. A cache with allocations in both tables loses its busiest process. */
void rate_table_add(RateTable *sum, const RateTable *later, const Metric *sort);

/* Returns a copy. */
RateTable *rate_table_copy(const RateTable *table);

/* Whether a table with these columns, ended by NULL, shows the net. */
bool rate_net_is_shown(const Metric *const *columns);

/* Returns the reason for an unknown net as a word of JSON, "slabinfo_differs"; NULL if the net is
   known. */
const char *rate_net_word(RateNet state);

/* Appends a line, ended by end, for each reason for unknown nets: the first caches that it applies
   to, and that the sum excludes them. */
void rate_net_append_reasons(GString *out, const RateTable *table, const char *end);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/value.h"
#include "table/row_sums.h"

#include <glib.h>

/*
 * A Metric is a figure of a row in any table: a sort key of -s, a column of --columns, a text
 * column, a JSON member. metric.c has their table. To add one: a MetricId, its row in metric.c, a
 * line in doc/options.man and in doc/JSON.md; if it needs a new counter, a field of the sums in
 * row_sums.h.
 */
typedef enum {
	METRIC_CACHE, /* not a figure: the label of a row */
	METRIC_ALLOCATIONS,
	METRIC_SHARE,
	METRIC_MARGIN,
	METRIC_BYTES_REQUESTED,
	METRIC_BYTES_ALLOCATED,
	METRIC_BYTES_WASTED,
	METRIC_FAILED,
	METRIC_HELD,
	METRIC_HELD_BYTES,
	METRIC_AGE,
	METRIC_ALLOCATED_IN_RUN,
	METRIC_FREED,
	METRIC_FREED_EARLY,
	METRIC_FREED_APART,
	METRIC_REQUESTED_IN_RUN,
	METRIC_BYTES_IN_RUN,
	METRIC_WASTED_IN_RUN,
	METRIC_PEAK_BYTES,
	METRIC_DOUBTFUL,
	METRIC_VALUE, /* of probe points, as the next three */
	METRIC_VALUE_BYTES,
	METRIC_TIME,
	METRIC_TIME_MAX,
	METRIC_FREES,
	METRIC_NET,
	METRIC_BUSIEST, /* not a figure: the processes with most allocations */
	METRIC_OBJECTS_IN_USE,
	METRICS,
} MetricId;

/* The options and tables that use a metric; bits. Tables show metrics in the order of metrics[]. */
typedef enum {
	METRIC_RANKS = 1,   /* -s of reports */
	METRIC_REPORTS = 2, /* columns of the tables of reports, and members of each row */
	METRIC_RATES = 4,   /* -s and --columns of rate tables */
	METRIC_OF_HITS = 8, /* -s of reports about probe points */
} MetricUse;

/* The data that a metric requires; bits. */
typedef enum {
	NEEDS_BYTES = 1,          /* the sizes of allocations; text formats lack them */
	NEEDS_SAMPLING = 2,       /* sampled events: exact counts have no margin */
	NEEDS_FREES = 4,          /* frees */
	NEEDS_NET = 8,            /* frees, known to belong to the allocations */
	NEEDS_PROCESSES = 16,     /* the allocating processes, for each row */
	NEEDS_SLABINFO = 32,      /* readings of /proc/slabinfo */
	NEEDS_HELD = 64,          /* objects that are held are counted, not allocations */
	NEEDS_AGES = 128,         /* ... and their ages are known */
	NEEDS_PAIRS = 256,        /* ... found by pairing allocations with frees */
	NEEDS_CHURN = 512,        /* all allocations, or a sample of them: none of addresses */
	NEEDS_VALUES = 1024,      /* hits of probe points with values */
	NEEDS_BYTE_VALUES = 2048, /* ... in bytes */
	NEEDS_TIMES = 4096,       /* time spans between probe points */
	NEEDS_HITS = NEEDS_VALUES | NEEDS_BYTE_VALUES | NEEDS_TIMES,
	NEEDS_ANY_FREES = NEEDS_FREES | NEEDS_NET,
} MetricNeed;

/* The figures that are known of blocks of time (count/time_blocks.h). */
typedef enum {
	BLOCK_NONE,
	BLOCK_EVENTS,
	BLOCK_REQUESTED,
	BLOCK_ALLOCATED,
	BLOCK_WASTED,
	BLOCK_VALUE,
	BLOCK_TIME,
	BLOCK_FIGURES,
} BlockFigure;

typedef struct {
	const char *name;  /* in options, "requested"; NULL: not in options */
	const char *alias; /* alternative name in options of rates, as in other tools; NULL: none */
	const char *help;
	const char *member;      /* in JSON, with the unit as suffix; NULL: only a key of -s */
	const char *word;        /* in text lines about bytes: "requested"; NULL: not there */
	const char *title;       /* in tables of reports, with the unit */
	const char *title_human; /* for --human, where each figure has its unit */
	const char *title_short; /* in rate tables */
	int width;               /* minimum width of its columns */
	ValueType type;
	unsigned uses;   /* MetricUse */
	unsigned needs;  /* MetricNeed */
	bool if_any;     /* text omits its column if all rows have 0 */
	bool of_run;     /* of all allocations of the run, though held objects are counted */
	bool if_run;     /* text shows its column only in tables that such a figure ranks */
	bool if_known;   /* JSON omits its member if its data is unknown, instead of null */
	bool instant;    /* a reading, not a sum over time: it has no rate */
	bool is_maximum; /* of several rows: their largest, not their sum */
	/* The value in a row, from one of these, in rate tables from live() if it is set; a
	   VALUE_DIFFERENCE is an int64_t. Both NULL: a text, or a figure derived from the metric
	   that ranks the rows. */
	uint64_t (*value)(const RowSums *sums);
	uint64_t (*live)(const LiveSums *live);
	double (*variance)(const RowSums *sums); /* of the value; NULL: not known */
	/* The variance of the value between runs of the same load, if events come independently;
	   NULL: not known. */
	double (*scatter)(const RowSums *sums);
	BlockFigure block; /* the value in blocks of time, from which that variance is measured */
} Metric;

/* By MetricId. */
extern const Metric metrics[METRICS];

/* Returns the metric with this name for this use (for METRIC_RATES: or alias), or NULL. */
const Metric *metric_lookup(const char *name, MetricUse use);

/* Returns the names of all metrics for this use, "count, bytes", for a message; the caller frees
   them. */
char *metric_names(MetricUse use);

/* Orders rows by a metric with a value, largest first, for qsort(). */
static inline int metric_compare(const Metric *metric, const RowSums *a, const RowSums *b)
{
	uint64_t of_a = metric->value(a), of_b = metric->value(b);

	return (of_b > of_a) - (of_b < of_a);
}

/* Whether the figures of rows add up to that of all: only then a row has a share of them, and a
   picture may show them as areas. */
static inline bool metric_adds_up(const Metric *metric)
{
	return metric->value && !metric->is_maximum;
}

/* Returns the margin of a figure in percent, like margin_percent(). */
double metric_margin(const Metric *metric, const RowSums *sums);

/* The context of a row's figures. Everything is borrowed. */
typedef struct {
	const Metric *rank; /* metric that ranks rows, or would rank them */
	const RowSums *all; /* sums over all rows */
	unsigned lacks;     /* MetricNeed: data that is unknown for these rows */
} MetricContext;

/* Whether the figures of a metric are known. */
bool metric_is_known(const Metric *metric, unsigned lacks);

/* Returns the figure of a row, for metrics with a value, a share or a margin. */
Value metric_value(const Metric *metric, const RowSums *sums, const MetricContext *context);

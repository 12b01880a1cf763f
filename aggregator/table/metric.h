/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"
#include "base/value.h"
#include "table/row_sums.h"

#include <glib.h>
#include <string.h>

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

/* Where a figure is in the sums of a row. */
typedef enum {
	FIGURE_NONE,       /* a text, or a figure derived from the metric that ranks the rows */
	FIGURE_NUMBER,     /* an uint64_t; of a VALUE_DIFFERENCE an int64_t */
	FIGURE_POSITIVE,   /* an int64_t; below 0 it is 0 */
	FIGURE_DIFFERENCE, /* of two, uint64_t; below 0 it is 0 */
} FigureKind;

typedef struct {
	FigureKind kind;
	uint16_t at;      /* offset in RowSums or LiveSums */
	uint16_t less_at; /* ... of what a difference subtracts */
} Figure;

/* How the variance of a figure is known. */
typedef enum {
	SPREAD_UNKNOWN,
	SPREAD_OF_EVENTS,   /* of the number of sampled events: variance_of_events() */
	SPREAD_OF_AMOUNT,   /* of what they add up to: variance_of_amount() */
	SPREAD_OF_FOLLOWED, /* objects that are followed stand for others */
	SPREAD_OF_COUNT,    /* events come at random, and sampling adds to that */
	SPREAD_READ,        /* a double of RowSums */
} SpreadKind;

typedef struct {
	SpreadKind kind;
	uint16_t at; /* offset in RowSums, of SPREAD_READ and SPREAD_OF_AMOUNT */
} Spread;

typedef struct {
	const char *name;  /* in options, "requested"; NULL: not in options */
	const char *alias; /* alternative name in options of rates, as in other tools; NULL: none */
	const char *help;
	const char *member;      /* in JSON, with the unit as suffix; NULL: only a key of -s */
	const char *word;        /* in text lines about bytes: "requested"; NULL: not there */
	const char *title;       /* in tables of reports, with the unit */
	const char *title_human; /* for --human, where each figure has its unit; NULL: as title */
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
	Figure value;
	Figure live;       /* in LiveSums, instead of the value in rate tables; or none */
	Spread variance;   /* of the value */
	Spread scatter;    /* ... between runs of the same load, if events come independently */
	BlockFigure block; /* the value in blocks of time, from which that variance is measured */
} Metric;

/* By MetricId. */
extern const Metric metrics[METRICS];

/* Returns the metric with this name for this use (for METRIC_RATES: or alias), or NULL. */
const Metric *metric_lookup(const char *name, MetricUse use);

/* Returns the names of all metrics for this use, "count, bytes", for a message; the caller frees
   them. */
char *metric_names(MetricUse use);

/* Returns the number at an offset of RowSums or LiveSums. */
static inline uint64_t figure_number_at(const void *sums, size_t offset)
{
	uint64_t number;

	memcpy(&number, (const char *)sums + offset, sizeof(number));
	return number;
}

/* Returns a figure of RowSums or LiveSums; 0 of none. */
static inline uint64_t figure_read(const Figure *figure, const void *sums)
{
	uint64_t number = figure_number_at(sums, figure->at), less;

	switch (figure->kind) {
	case FIGURE_NUMBER:
		return number;
	case FIGURE_POSITIVE:
		return number > INT64_MAX ? 0 : number;
	case FIGURE_DIFFERENCE:
		less = figure_number_at(sums, figure->less_at);
		return number - MIN(less, number);
	default:
		return 0;
	}
}

/* Returns the value of a metric in a row; 0 if the metric has none. */
static inline uint64_t metric_figure(const Metric *metric, const RowSums *sums)
{
	return figure_read(&metric->value, sums);
}

/* Whether two metrics are names of one figure. */
static inline bool metric_same_figure(const Metric *a, const Metric *b)
{
	return a->value.kind == b->value.kind && a->value.at == b->value.at &&
	       a->value.less_at == b->value.less_at;
}

/* Orders rows by a metric with a value, largest first, for qsort(). */
static inline int metric_compare(const Metric *metric, const RowSums *a, const RowSums *b)
{
	uint64_t of_a = metric_figure(metric, a), of_b = metric_figure(metric, b);

	return (of_b > of_a) - (of_b < of_a);
}

/* Whether the figures of rows add up to that of all: only then a row has a share of them, and a
   picture may show them as areas. */
static inline bool metric_adds_up(const Metric *metric)
{
	return metric->value.kind && !metric->is_maximum;
}

/* Returns the variance of its value between runs of the same load; INFINITY if it is not known. */
double metric_scatter(const Metric *metric, const RowSums *sums);

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/value.h"
#include "table/row_sums.h"

#include <glib.h>

/*
 * A Metric is a figure of a row, in any table: what -s ranks by, what --columns adds, a column of
 * text, a member in JSON. There is one table of them. To add one: a MetricId, its row in metric.c,
 * a line in doc/options.man and in doc/JSON.md; where nothing counts it yet, a field of the sums
 * in row_sums.h.
 */
typedef enum {
	METRIC_CACHE, /* not a figure: the name of a row */
	METRIC_ALLOCATIONS,
	METRIC_SHARE,
	METRIC_MARGIN,
	METRIC_BYTES_REQUESTED,
	METRIC_BYTES_ALLOCATED,
	METRIC_BYTES_WASTED,
	METRIC_FAILED,
	METRIC_FREES,
	METRIC_NET,
	METRIC_BUSIEST, /* no figure either: the processes with most allocations */
	METRIC_OBJECTS_IN_USE,
	METRICS,
} MetricId;

/* Which options take a metric, and which tables have it; bits. Tables have them in the order of
   metrics[]. */
typedef enum {
	METRIC_RANKS = 1,   /* -s of reports */
	METRIC_REPORTS = 2, /* columns of the tables of reports, and members of each row */
	METRIC_RATES = 4,   /* -s and --columns of tables of rates */
} MetricUse;

/* What must be collected for a metric, or known; bits. */
typedef enum {
	NEEDS_BYTES = 1,      /* the sizes of allocations; text formats lack them */
	NEEDS_SAMPLING = 2,   /* sampled events: without them there is nothing to estimate */
	NEEDS_FREES = 4,      /* frees */
	NEEDS_NET = 8,        /* frees, and that they are those of the allocations */
	NEEDS_PROCESSES = 16, /* who allocated, for each row */
	NEEDS_SLABINFO = 32,  /* readings of /proc/slabinfo */
	NEEDS_ANY_FREES = NEEDS_FREES | NEEDS_NET,
} MetricNeed;

typedef struct {
	const char *name;  /* as options take it, "requested"; NULL: no option does */
	const char *alias; /* what those of rates take as well, as other tools do; NULL: none */
	const char *help;
	const char *member;      /* in JSON: it ends with the unit, where there is one */
	const char *word;        /* in a line of text about bytes: "requested"; NULL: in none */
	const char *title;       /* in tables of reports: it says the unit */
	const char *title_human; /* for --human, where each figure says its own */
	const char *title_short; /* in tables of rates */
	int width;               /* of their columns, at least */
	ValueType type;
	unsigned uses;  /* MetricUse */
	unsigned needs; /* MetricNeed */
	bool if_any;    /* text has no column of it where all rows have 0 */
	bool instant;   /* a reading, not a sum over time: there is no rate of it */
	/* What it is of a row, one of both; a VALUE_DIFFERENCE as int64_t. None: a text; or a
	   figure of the metric that rows are ranked by. */
	uint64_t (*value)(const StackSummary *summary);
	uint64_t (*live)(const LiveSums *live);
	double (*variance)(const Variance *variance); /* of the value; NULL: it has no margin */
} Metric;

/* By MetricId. */
extern const Metric metrics[METRICS];

/* Returns the metric of that name for that use, or alias for METRIC_RATES, or NULL. */
const Metric *metric_lookup(const char *name, MetricUse use);

/* Returns the names of all metrics of that use, "count, bytes", for a message; the caller frees
   them. */
char *metric_names(MetricUse use);

/* Orders rows by a metric with a value, the largest first, as qsort() wants it. */
static inline int metric_compare(const Metric *metric, const RowSums *a, const RowSums *b)
{
	uint64_t of_a = metric->value(&a->summary), of_b = metric->value(&b->summary);

	return (of_b > of_a) - (of_b < of_a);
}

/* Returns the margin of a figure, in percent of it, as margin_percent() does. */
double metric_margin(const Metric *metric, const RowSums *sums);

/* What a row is seen among. Everything is borrowed. */
typedef struct {
	const Metric *rank; /* by which rows are ranked, or would be */
	const RowSums *all; /* of all rows together */
	unsigned lacks;     /* MetricNeed: what is not known of these rows */
} MetricContext;

/* Whether the figures of a metric are known. */
bool metric_is_known(const Metric *metric, unsigned lacks);

/* Returns the figure of a row: of a metric with a value, a share or a margin. */
Value metric_value(const Metric *metric, const RowSums *sums, const MetricContext *context);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "rates/rate_chart.h"
#include "rates/rate_table.h"
#include "rates/rate_totals.h"
#include "report/diff_rows.h"
#include "report/many_runs.h"
#include "table/view.h"
#include "session/session.h"

/* The kind of a report. */
typedef enum {
	REPORT_STACKS,      /* call stacks, or with --by a table of groups */
	REPORT_SLABSTACK,   /* stacks of slab caches: by process and stack, unless --by is given */
	REPORT_SLAB_CACHES, /* growth of slab caches */
	REPORT_INFO,        /* description of a recording */
	REPORT_INTERVAL,    /* figures of slab caches in an interval */
	REPORT_DIFF,        /* comparison of two runs */
} ReportKind;

/* The layout of a rate table. Everything is borrowed. */
typedef struct {
	const Metric *const *columns; /* ended by NULL */
	uint64_t rows_max;
	bool per_second;
	bool human;        /* bytes in KiB, MiB */
	unsigned width;    /* of the terminal; 0: none, so nothing is cut */
	double interval_s; /* the requested interval */
} RateLayout;

/* An interval: its table and its layout. Everything is borrowed. */
typedef struct {
	const RateTable *table;
	const RateLayout *layout;
	bool is_first;            /* no interval was printed before */
	const RateTotals *totals; /* up to its end; NULL: not requested */
} IntervalSource;

/* The input of a report. For an interval only command, session, interval and quiet are set.
   Everything is borrowed. */
/* The size of the terminal that shows a text; 0: the text goes elsewhere. */
typedef struct {
	unsigned columns;
	unsigned lines;
	unsigned lines_said; /* of messages of this program that are on it, before the text */
} TerminalSize;

typedef struct ReportSource {
	const char *command;    /* name of the reporting command */
	const Session *session; /* NULL: of several runs: */
	const ManyRuns *runs;   /* the facts of all; NULL: of a single run */
	uint64_t stacks_merged; /* ... their distinct stacks, and what found no room for them */
	ProfileTotals overflow;
	const View *view;
	const ViewOptions *options;
	uint64_t hits_max;   /* of a list */
	const char *exclude; /* argument of -e, for the banner; NULL: none */
	/* The requested caches, resolved; NULL: all slab caches. */
	const CacheQuery *caches;
	const char *caches_asked; /* as given */
	bool quiet;               /* no banner */
	TerminalSize terminal;
	bool fits;    /* the report is to fit the terminal */
	bool details; /* bytes and top processes per stack; for groups: whole names */
	bool human;   /* bytes as KiB, MiB ... */
	bool all;     /* no limit of rows */
	const struct SlabOrder *slab_order; /* of the overview of caches; NULL: the default */
	bool compares_walks;                /* of stacks (--stack-walk=compare): show the result */
	bool compares_names;                /* of slab caches (--cache-names=compare): likewise */
	bool shows_memory;                  /* begin with the state of the host's memory */
	bool show_host;                     /* the host's name may be printed */
	bool whole_names;                   /* of groups, even without details */
	const char *parts; /* keys that divide the stacks (ReportModel.parts); NULL: none */
	bool lists_code;   /* the report needs the files with code */
	const IntervalSource *interval;   /* if REPORT_INTERVAL */
	const struct ReportSource *older; /* with what it is compared, if REPORT_DIFF */
	const char *input;                /* name of what was read; NULL: a live run */
	bool shows_charts;                /* of a watch (ReportModel.watch) */
	RateChart *chart;                 /* the run over time; NULL: not requested, or not known */
	DiffPer per;
	double loss_percent_max; /* a report with a higher loss is incomplete */
} ReportSource;

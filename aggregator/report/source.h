/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_query.h"
#include "rates/rate_table.h"
#include "table/view.h"
#include "session/session.h"

/* What a report is about. */
typedef enum {
	REPORT_STACKS,      /* call stacks, or with --by a table of groups */
	REPORT_SLABSTACK,   /* the same of slab caches: by process and stack, unless --by says so */
	REPORT_SLAB_CACHES, /* which slab caches grow */
	REPORT_INFO,        /* a recording */
	REPORT_INTERVAL,    /* what slab caches had in an interval */
} ReportKind;

/* How a table of rates is laid out. Everything is borrowed. */
typedef struct {
	const Metric *const *columns; /* ended by NULL */
	uint64_t rows_max;
	bool per_second;
	bool human;        /* bytes in KiB, MiB */
	unsigned width;    /* of the terminal; 0: there is none, nothing is cut */
	double interval_s; /* that was asked for */
} RateLayout;

/* An interval: its table, and how it is shown. Everything is borrowed. */
typedef struct {
	const RateTable *table;
	const RateLayout *layout;
	bool is_first; /* nothing was printed before it */
} IntervalSource;

/* What a report is made of; of an interval only command, session, interval and quiet. Everything is
 * borrowed. */
typedef struct {
	const char *command; /* whose report it is */
	const Session *session;
	const View *view;
	const ViewOptions *options;
	const char *exclude; /* argument of -e, for the banner; NULL: none */
	/* Whose allocations these are: resolved; NULL: those of all slab caches. */
	const CacheQuery *caches;
	const char *caches_asked; /* as given */
	bool quiet;               /* no banner */
	bool details;     /* bytes and top processes of each stack; of groups: whole names */
	bool human;       /* bytes as KiB, MiB ... */
	bool all;         /* no bound of rows */
	bool show_host;   /* the host's name may be printed */
	bool whole_names; /* of groups, whether or not there are details */
	const IntervalSource *interval; /* of REPORT_INTERVAL */
} ReportSource;

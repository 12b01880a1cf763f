/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"
#include "names/cache_query.h"
#include "table/cell_filter.h"
#include "rates/rate_row.h"
#include "table/view.h"
#include "record/run_info.h"
#include "report/renderers.h"

#include <glib.h>
#include <stdio.h>

typedef struct Tool Tool;

/* How a table of rates is made and shown: slabratetop's. */
typedef struct {
	double interval_s;
	uint64_t count; /* tables; 0: until stopped */
	uint64_t rows_max;
	const Metric *columns[RATE_COLUMNS_MAX + 1]; /* ended by NULL */
	const Metric *sort;
	bool interval_given;
	bool speed_given;
	bool recorded_speed; /* of a recording; else as fast as it is read */
	bool batch;          /* plain text on a terminal, too */
	bool no_clear;       /* the same */
	bool per_second;
} RateOptions;

/*
 * The command line, checked and complete: const after options_parse().
 *
 * One const table (option_table.c) has every option of the suite; help text, errors and the checks
 * of values come from it. To add an option: a row there, a line in the man page.
 */
typedef struct {
	const Tool *tool; /* whose command line it is */
	/* Instead of a report. */
	bool help;
	bool version;
	bool info;
	bool build_module;
	bool check;
	bool overview; /* nothing was named that the tool could trace */
	/* Where records come from. */
	char *input;                    /* -i; NULL: a live collection */
	const CollectorType *collector; /* NULL: the best one that begins at once */
	CollectRequest request;         /* its strings are owned here */
	bool collects;                  /* an option said how to collect */
	bool only_command;
	GArray *pids;         /* (element-type guint32) */
	char *kernel_release; /* --build-module=KVER; NULL: the running one */
	char *sign_key;
	char *sign_cert;
	char *kallsyms;  /* --kallsyms; NULL: the stream's, or this host's */
	GBytes *symbols; /* what is in it, once it was read */
	RunSlice slice;  /* --from, --to: what of a recording counts */
	bool sliced;
	uint64_t memory_bytes_max;
	double loss_percent_max; /* of the events; more makes the result incomplete */
	/* What is kept and how it is shown. */
	CacheQuery *caches;          /* whose allocations count; NULL: those of all caches */
	char *caches_asked;          /* the same, as given */
	CacheQuery *caches_excluded; /* whose do not; NULL: none */
	RateOptions rate;
	GArray *cells; /* (element-type CellFilter): what view.cells is */
	ViewOptions view;
	char *exclude;           /* as given to -e */
	char *cgroup;            /* --cgroup; NULL: all */
	char *process;           /* --process; NULL: all */
	char *pids_asked;        /* -p beside -i, as one list; NULL: not given */
	ProcessChoice processes; /* the last two, as cell filters take them */
	/* --callsite-skip: what view.callsite_skip is; NULL: not given. */
	CallsiteSkip *callsite_skip;
	const Renderer *renderer; /* --format */
	char *output;             /* -O; NULL: stdout */
	bool hide_host;
	bool details;
	bool human;
	bool all;         /* --all: caches beyond the usual number, too */
	GPtrArray *given; /* (element-type OptionRow) every option, borrowed, as it came */
	bool quiet;
} Options;

/* Returns the options of a command line of that tool, or NULL with error set: a usage error, one
 * line. */
Options *options_parse(const Tool *tool, int argc, char **argv, GError **error);
void options_free(Options *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Options, options_free)

/* Prints --help. */
void options_print_help(const Tool *tool, FILE *out);

/* Prints --version: the version and what this build can do, a line each. */
void options_print_version(const Tool *tool, FILE *out);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/run/collector.h"
#include "import/kernel_record.h"
#include "names/cache_query.h"
#include "table/cell_filter.h"
#include "rates/rate_chart.h"
#include "rates/rate_row.h"
#include "table/view.h"
#include "record/run_info.h"
#include "render/formats/renderers.h"

#include <glib.h>
#include <stdio.h>

typedef struct Tool Tool;

/* How slabratetop makes and shows tables of rates. */
typedef struct {
	double interval_s;
	uint64_t count; /* tables; 0: until stopped */
	uint64_t rows_max;
	const Metric *columns[RATE_COLUMNS_MAX + 1]; /* NULL-terminated */
	const Metric *sort;                          /* of the rows */
	bool interval_given;
	bool speed_given;
	bool recorded_speed; /* replay a recording at its own speed; else as fast as possible */
	bool batch;          /* plain text, also on a terminal */
	bool no_clear;       /* as batch */
	bool per_second;
	char *textfile; /* --textfile; NULL: stdout */
} RateOptions;

/* Where the records come from, if no run is collected, and how they are read. */
typedef struct {
	char *path;                 /* -i, the last one; NULL: a live collection */
	bool is_found;              /* the input is in a folder of -i */
	GPtrArray *paths;           /* (element-type utf8), owned: of each -i */
	KernelRecordRequest kernel; /* --import; no record: a live collection, or -i */
	GPtrArray *kernel_files;    /* (element-type utf8), owned: its FILE and FILE2 */
	uint64_t page_bytes;        /* --page-size; 0: not given */
	RunSlice slice;             /* --from, --to: the part of a recording that counts */
	bool is_sliced;
	char *kallsyms;  /* --kallsyms; NULL: symbols of the stream, or of this host */
	GBytes *symbols; /* its content, once read */
} InputOptions;

/* What is collected, and by what. */
typedef struct {
	bool is_given;                  /* an option about a live run was given */
	const CollectorType *collector; /* NULL: the best one that can start at once */
	CollectRequest request;         /* its strings are owned by Options */
	bool only_command;
	GArray *pids; /* (element-type guint32) */
	bool record_max_given;
	bool events_replaced; /* --events without "+": the default events are not recorded */
	char *kernel_release; /* --build-module=KVER; NULL: the running kernel */
	char *sign_key;
	char *sign_cert;
} LiveOptions;

/* What stack-top observes. */
typedef struct {
	GPtrArray *words; /* (element-type utf8): words of the command line, owned */
	char *weight;     /* --weight, and so on; NULL: not given */
	char *where;
	char *begin;
	char *end;
	char *columns;
	bool kernel_only; /* -K */
	bool user_only;   /* -U */
	char *user_stacks;
	bool list;      /* --list */
	Preset *preset; /* content of live.request.what.preset */
	char *keys;     /* content of live.request.labels.keys */
} PointOptions;

/* Which events count. */
typedef struct {
	CacheQuery *caches;          /* caches whose allocations count; NULL: all */
	char *caches_asked;          /* as given */
	CacheQuery *caches_excluded; /* caches whose allocations do not count; NULL: none */
	char *stacks_excluded;       /* as given to -e */
	char *cgroup;                /* --cgroup; NULL: all */
	char *process;               /* --process; NULL: all */
	char *pids;                  /* -p with -i, as one list; NULL: not given */
	ProcessChoice processes;     /* --process and -p as needed by cell filters */
	HeldChoice held;             /* --min-age, --peak, and what --by needs */
	GArray *cells;               /* (element-type CellFilter): content of view.cells */
	CallsiteSkip *callsite_skip; /* content of view.callsite_skip */
} ChoiceOptions;

/* Source lines. */
typedef struct {
	bool are_shown;          /* --lines */
	bool with_source;        /* --source */
	bool missing_debuginfo;  /* --missing-debuginfo */
	bool are_needed;         /* by one of these, or by --by=line or user-line */
	GPtrArray *source_paths; /* (element-type utf8), owned: of --source-path */
	char *debuginfod; /* --debuginfod: a URL; "": those of the environment; NULL: not given */
	GPtrArray *debuginfo; /* (element-type utf8), owned, NULL-terminated: of --debuginfo */
} LineOptions;

/* What is printed, and where. */
typedef struct {
	const Renderer *renderer; /* --format */
	char *path;               /* -O; NULL: stdout */
	char *diff;               /* --diff; NULL: nothing is compared */
	DiffPer per;              /* --per */
	bool hide_host;
	bool details;
	bool human;
	bool all;                           /* --all: no limit on the number of caches */
	const struct SlabOrder *slab_order; /* -s of all caches; NULL: not given */
	bool quiet;
} OutputOptions;

/*
 * The command line, checked and complete: const after options_parse().
 *
 * One const table (option_table.c) contains every option of the suite, with help text, errors and
 * checks of values. To add an option, add a row there and a line in the man page.
 */
typedef struct {
	const Tool *tool; /* whose command line it is */
	/* Options that replace the report. */
	bool help, help_all; /* --help, --help=all */
	bool version;
	bool info;
	bool build_module;
	bool check;
	bool overview;  /* no traceable object was named */
	double watch_s; /* --watch: seconds between two readings; 0: not given */
	/* The parts; who needs one only takes that. */
	InputOptions input;
	LiveOptions live;
	PointOptions points;
	ChoiceOptions choice;
	LineOptions lines;
	OutputOptions output;
	RateOptions rate;
	ViewOptions view;
	bool sort_given;     /* -s; else view.sort is a default */
	bool view_is_chosen; /* by the first of several recordings: see Tool.take_live_view() */
	uint64_t memory_bytes_max;
	double loss_percent_max; /* of the events; a higher loss makes the result incomplete */
	GPtrArray *given; /* (element-type OptionRow) every given option, borrowed, in order */
	bool is_older;    /* these are the options of the run that --diff names */
} Options;

/* Whether a file or a record of the kernel is read instead of a live collection. */
static inline bool options_read_input(const Options *options)
{
	return options->input.path || options->input.kernel.record;
}

/* Whether one of these options was given; long names, ended by NULL. */
bool options_are_given(const Options *options, const char *const *names);

/* Returns the options of a command line of that tool, or NULL with error set: a usage error of one
   line. */
Options *options_parse(const Tool *tool, int argc, char **argv, GError **error);
void options_free(Options *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Options, options_free)

/* Prints --help: what most people need; all: every option, key and format. */
void options_print_help(const Tool *tool, bool all, FILE *out);

/* Prints --version: the version and the optional parts of this build, one per line. */
void options_print_version(const Tool *tool, FILE *out);

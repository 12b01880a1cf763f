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

/*
 * The command line, checked and complete: const after options_parse().
 *
 * One const table (option_table.c) contains every option of the suite, with help text, errors and
 * checks of values. To add an option, add a row there and a line in the man page.
 */
typedef struct {
	const Tool *tool; /* whose command line it is */
	/* Options that replace the report. */
	bool help;
	bool version;
	bool info;
	bool build_module;
	bool check;
	bool overview; /* no traceable object was named */
	/* The source of the records. */
	char *input;                    /* -i, the last one; NULL: a live collection */
	bool input_is_found;            /* the input is in a folder of -i */
	GPtrArray *inputs;              /* (element-type utf8), owned: of each -i */
	KernelRecordRequest import;     /* --import; no record: a live collection, or -i */
	uint64_t page_bytes;            /* --page-size; 0: not given */
	GPtrArray *import_files;        /* (element-type utf8), owned: its FILE and FILE2 */
	const CollectorType *collector; /* NULL: the best one that can start at once */
	CollectRequest request;         /* its strings are owned by Options */
	bool collects;                  /* an option about a live run was given */
	bool only_command;
	GArray *pids;         /* (element-type guint32) */
	char *kernel_release; /* --build-module=KVER; NULL: the running kernel */
	char *sign_key;
	char *sign_cert;
	char *kallsyms;  /* --kallsyms; NULL: symbols of the stream, or of this host */
	GBytes *symbols; /* its content, once read */
	RunSlice slice;  /* --from, --to: the part of a recording that counts */
	bool sliced;
	bool record_max_given;
	bool events_replaced; /* --events without "+": the default events are not recorded */
	uint64_t memory_bytes_max;
	double loss_percent_max; /* of the events; a higher loss makes the result incomplete */
	/* What stack-top observes. */
	GPtrArray *probes; /* (element-type utf8): words of the command line, owned */
	char *weight;      /* --weight, and so on; NULL: not given */
	char *where;
	char *begin;
	char *end;
	char *columns;
	bool kernel_only; /* -K */
	bool user_only;   /* -U */
	char *user_stacks;
	bool list;           /* --list */
	Preset *preset;      /* content of request.preset */
	char *keys;          /* content of request.keys */
	bool view_is_chosen; /* by the first of several recordings: see Tool.take_live_view() */
	/* What is counted and how it is shown. */
	CacheQuery *caches;          /* caches whose allocations count; NULL: all */
	char *caches_asked;          /* as given */
	CacheQuery *caches_excluded; /* caches whose allocations do not count; NULL: none */
	RateOptions rate;
	bool sort_given; /* -s; else view.sort is a default */
	GArray *cells;   /* (element-type CellFilter): content of view.cells */
	ViewOptions view;
	char *exclude;           /* as given to -e */
	char *cgroup;            /* --cgroup; NULL: all */
	char *process;           /* --process; NULL: all */
	char *pids_asked;        /* -p with -i, as one list; NULL: not given */
	ProcessChoice processes; /* --process and -p as needed by cell filters */
	/* --callsite-skip: content of view.callsite_skip; NULL: not given */
	CallsiteSkip *callsite_skip;
	/* Source lines. */
	bool lines;              /* --lines */
	bool source;             /* --source */
	bool missing_debuginfo;  /* --missing-debuginfo */
	bool needs_lines;        /* by one of these, or by --by=line or user-line */
	GPtrArray *source_paths; /* (element-type utf8), owned: of --source-path */
	char *debuginfod; /* --debuginfod: a URL; "": those of the environment; NULL: not given */
	GPtrArray *debuginfo;     /* (element-type utf8), owned, NULL-terminated: of --debuginfo */
	HeldChoice held;          /* --min-age, --peak, and what --by needs */
	const Renderer *renderer; /* --format */
	char *output;             /* -O; NULL: stdout */
	char *diff;               /* --diff; NULL: nothing is compared */
	DiffPer per;              /* --per */
	const struct OlderRun *older;  /* what --diff names, once it was read; borrowed */
	const struct ManyInputs *many; /* several recordings, once they were read; borrowed */
	bool is_older;                 /* these are the options of that run */
	RateChart *chart; /* of a run that has ended, if the format shows one; borrowed */
	bool hide_host;
	bool details;
	bool human;
	bool all;         /* --all: no limit on the number of caches */
	GPtrArray *given; /* (element-type OptionRow) every given option, borrowed, in order */
	bool quiet;
} Options;

/* Whether a file or a record of the kernel is read instead of a live collection. */
static inline bool options_read_input(const Options *options)
{
	return options->input || options->import.record;
}

/* Returns the options of a command line of that tool, or NULL with error set: a usage error of one
   line. */
Options *options_parse(const Tool *tool, int argc, char **argv, GError **error);
void options_free(Options *options);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Options, options_free)

/* Prints --help. */
void options_print_help(const Tool *tool, FILE *out);

/* Prints --version: the version and the optional parts of this build, one per line. */
void options_print_version(const Tool *tool, FILE *out);

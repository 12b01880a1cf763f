/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "held/durations.h"
#include "report/diff_rows.h"
#include "report/facts.h"
#include "report/held_check.h"
#include "report/slab_readings.h"
#include "report/source.h"
#include "report/verdict.h"
#include "report/watch_charts.h"
#include "session/session.h"
#include "table/group_rows.h"
#include "table/view.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The rows of a list of hits: those that the filters of a view keep, in the order of time, with the
 * texts of their columns.
 */
typedef struct {
	char **columns;   /* owned: names of columns, ended by NULL */
	GArray *hits;     /* (element-type uint32_t), owned: rows, as indexes in the list */
	uint64_t more;    /* rows above the maximum */
	uint64_t dropped; /* hits that found no room when they were recorded */
	/* Private. */
	const Session *session;
	const View *view;
	guint *value_of; /* by column: its place in the text of a hit */
} HitRows;

/* Returns the rows, at most rows_max, or NULL: the hits were only counted. Both must outlive them.
   Free them with hit_rows_free(). */
HitRows *hit_rows_new(const Session *session, const View *view, uint64_t rows_max);
void hit_rows_free(HitRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HitRows, hit_rows_free)

/* Appends the text of a column in a row, escaped; empty: the hit does not have it. */
void hit_rows_append(const HitRows *rows, guint row, guint column, GString *out);

/* Appends the lines of its stack, each ended by '\n'. */
void hit_rows_append_stack(const HitRows *rows, guint row, GString *out);

/* The files with code that a stream names, for --info: what finds the source lines of a recording
   on another machine. */

/* The kernel, a module, a section of the module before it, or a program. */
typedef struct {
	char *name;       /* owned; of a program: its path; of a section: its own */
	char *build_id;   /* owned, hexadecimal; NULL: not recorded */
	uint64_t address; /* where it was loaded; 0: not known, or a program */
	bool is_section;  /* it has no build id of its own */
} CodeRow;

/* Returns the rows (element-type CodeRow): the kernel, modules, programs. Free them with
   g_array_unref(). */
GArray *code_rows_new(const Session *session);

/* A row of a report that has to fit a terminal: those rows of held objects that one call left. */
typedef struct {
	RowSums sums;
	GArray *rows; /* (element-type guint), owned: of the groups, or else of the stacks; ranked
		       */
} CallRow;

static inline guint call_row_first(const CallRow *call)
{
	return g_array_index(call->rows, guint, 0);
}

/*
 * A ReportModel is the complete content of a report as data, filled in by model.c: facts, stacks,
 * tables. Renderers read nothing else, and decide nothing.
 *
 * Stacks and rows are numbers. Their texts are made one at a time, because all together may be
 * large.
 */
typedef struct ReportModel {
	ReportKind kind;
	const ReportSource *source; /* the request; not its session */
	Facts *facts;
	const View *view;  /* stacks, drops and allocations left out */
	GroupRows *groups; /* a table, or the blocks of slabstack; NULL: stacks */
	/* The shown stacks, divided by the keys of the source that fit the events, in this order;
	   NULL: not requested, or there are groups. Of a comparison: those of the newer run.
	   Nothing is filtered or cut again. */
	GroupRows *parts;
	ViewOptions parts_by;   /* private */
	bool has_blocks;        /* groups are slabstack's blocks */
	const char *group_noun; /* name of a group in text: "row" */
	SlabReadings *slab;     /* growth of slab caches; NULL: no caches requested */
	/* (element-type HeldCheckRow), owned: what is held, compared with /proc/slabinfo; NULL:
	   there is nothing to compare. */
	GArray *held_check;
	/* (element-type CallRow), owned: the rows, ranked, of a report that has to fit a terminal;
	   NULL: of others. */
	GPtrArray *calls;
	WatchCharts *watch; /* owned; NULL: not requested, or not of a watch */
	Verdict *verdict;   /* who keeps memory; NULL: the report does not tell */
	GArray *code;       /* (element-type CodeRow), owned; NULL: not requested */
	HitRows *hits;      /* a list of hits instead of stacks; NULL: they are only counted */
	/* Time spans between probe points; all 0 if there are none, or some are left out. */
	DurationTotals spans;
	const ManyRuns *runs;           /* of several recordings; NULL: of one */
	const IntervalSource *interval; /* if REPORT_INTERVAL; else NULL */
	/* If REPORT_DIFF, else NULL: the older run without a comparison, and how the newer one,
	   which all other members are of, differs from it. */
	struct ReportModel *older;
	DiffRows *diff;
} ReportModel;

/* The keys of a slabstack block, by their position in SLABSTACK_BLOCKS. */
enum { BLOCK_PROCESS, BLOCK_CACHE, BLOCK_STACK };
#define SLABSTACK_BLOCKS "process,cache,stack"

/* The facts with the sums of a metric: over what is shown, and before filters. */
typedef struct {
	MetricId metric;
	FactId shown;
	FactId before;
} MetricFacts;

/* All summed metrics, in the order of metrics[]. */
enum { METRICS_SUMMED = 4 };
extern const MetricFacts metric_facts[METRICS_SUMMED];

/* Returns the model of a report; the source must outlive it. Free it with report_model_free(). */
ReportModel *report_model_new(ReportKind kind, const ReportSource *source);
void report_model_free(ReportModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReportModel, report_model_free)

/* Returns the rows for ReportModel.calls. */
GPtrArray *call_rows_new(const ReportModel *model);

/* Returns the sums of a row of the groups, or else of the stacks. */
const RowSums *model_row_sums(const ReportModel *model, guint row);

/* Returns the facts of a run that only its session and its own view know. Free them with
   facts_free(). */
Facts *model_facts_of_run(const Session *session, const View *view, bool show_host);

/* Returns the sums over the shown stacks, or rows of a table. */
const RowSums *model_shown_sums(const ReportModel *model);

/* Returns the sums before filters on numbers and the limit to the top. */
const RowSums *model_all_sums(const ReportModel *model);

/* Returns the context of the rows' figures: all rows, and their unknown data. */
MetricContext model_metric_context(const ReportModel *model);

/* Returns the same for the figures of a comparison: what either run lacks is unknown. */
MetricContext model_diff_context(const ReportModel *model);

/* Whether a comparison shows figures of a metric, perhaps unknown ones. */
bool model_diff_shows(const ReportModel *model, const Metric *metric);

/* What a report may count. From COUNTS_HELD on objects that are held, from COUNTS_RECORD on
   without their frees. */
typedef enum {
	COUNTS_ALLOCATIONS,
	COUNTS_HITS,   /* of probe points */
	COUNTS_HELD,   /* objects that the run allocated and has not freed */
	COUNTS_RECORD, /* objects that were held when the kernel's record was read */
	COUNTS_GROWTH, /* ... by how many the second of two readings has more */
} Counts;

/* Returns what this one counts. */
Counts model_counts(const ReportModel *model);

/* Whether the stream has the sizes of its allocations; text formats lack them. */
bool model_has_bytes(const ReportModel *model);

/* Whether the figure that ranks rows is known. If not, their order says nothing. */
bool model_knows_rank(const ReportModel *model);

/* Whether all frees of held objects were seen, apart from events that were lost: only then an
   object is certain, and a row that keeps what it allocated grows. */
bool model_sees_frees(const ReportModel *model, const HeldSums *held);

/* Returns what rows with these times do over the run, "grows", "may grow" if objects may have been
   freed unseen, or "turns over"; NULL if there are too few objects to tell. A row grows if what was
   allocated early is kept like what was allocated late: a leak, not a working set, of which only
   the newest part is held. */
const char *model_growth_word(const ReportModel *model, const HeldSums *held,
			      const HeldTimes *times);

/* Whether there is nothing to show, with or without filters. */
bool model_is_empty(const ReportModel *model);

/* Return the drops of the given filters: filters on stacks, then on groups, then the top if it was
   limited. */
guint model_drop_count(const ReportModel *model);
const FilterDrop *model_drop(const ReportModel *model, guint index);

/* Whether the filter dropped stacks, not groups. */
bool model_drop_is_of_stacks(const ReportModel *model, guint index);

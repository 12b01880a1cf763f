/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_rows.h"
#include "held/durations.h"
#include "report/code_rows.h"
#include "report/diff_rows.h"
#include "report/facts.h"
#include "report/held_check.h"
#include "report/hit_rows.h"
#include "report/slab_readings.h"
#include "report/source.h"

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
	GArray *code;  /* (element-type CodeRow), owned; NULL: not requested */
	HitRows *hits; /* a list of hits instead of stacks; NULL: they are only counted */
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

/* Whether there is nothing to show, with or without filters. */
bool model_is_empty(const ReportModel *model);

/* Return the drops of the given filters: filters on stacks, then on groups, then the top if it was
   limited. */
guint model_drop_count(const ReportModel *model);
const FilterDrop *model_drop(const ReportModel *model, guint index);

/* Whether the filter dropped stacks, not groups. */
bool model_drop_is_of_stacks(const ReportModel *model, guint index);

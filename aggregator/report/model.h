/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_rows.h"
#include "report/facts.h"
#include "report/slab_readings.h"
#include "report/source.h"

/*
 * A ReportModel is all that a report says, as data, filled in one place (model.c): facts, stacks,
 * tables. A renderer looks at nothing else, and decides nothing.
 *
 * Stacks and rows are numbers; their texts are made for one at a time, as those of all may be
 * large.
 */
typedef struct {
	ReportKind kind;
	const ReportSource *source; /* how it was asked for; not its session */
	Facts *facts;
	const View *view;               /* stacks, drops and what was left out */
	GroupRows *groups;              /* a table, or the blocks of slabstack; NULL: stacks */
	bool has_blocks;                /* groups are slabstack's blocks */
	const char *group_noun;         /* what text calls one of them: "row" */
	SlabReadings *slab;             /* how slab caches grew; NULL: none were asked for */
	const IntervalSource *interval; /* of REPORT_INTERVAL; else NULL */
} ReportModel;

/* The keys of a block of slabstack, by their place in SLABSTACK_BLOCKS. */
enum { BLOCK_PROCESS, BLOCK_CACHE, BLOCK_STACK };
#define SLABSTACK_BLOCKS "process,cache,stack"

/* The facts that are sums of a metric: over what is shown, and over all before filters. */
typedef struct {
	MetricId metric;
	FactId shown;
	FactId before;
} MetricFacts;

/* All of them, in the order of metrics[]. */
enum { METRICS_SUMMED = 4 };
extern const MetricFacts metric_facts[METRICS_SUMMED];

/* Returns the model of a report; the source must outlive it. Free it with report_model_free(). */
ReportModel *report_model_new(ReportKind kind, const ReportSource *source);
void report_model_free(ReportModel *model);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ReportModel, report_model_free)

/* Returns the sums over what is shown: stacks, or rows of a table. */
const RowSums *model_shown_sums(const ReportModel *model);

/* Returns the sums over all of them, before filters of numbers and the top. */
const RowSums *model_all_sums(const ReportModel *model);

/* Returns what figures of rows are seen among: all rows, and what they lack. */
MetricContext model_metric_context(const ReportModel *model);

/* Whether the stream has the sizes of its allocations; text formats do not. */
bool model_has_bytes(const ReportModel *model);

/* Whether filters left nothing to show, or there was nothing. */
bool model_is_empty(const ReportModel *model);

/* Returns what the filters dropped that were given: those of stacks, then those of groups; the top,
   which comes last, only where there was one. */
guint model_drop_count(const ReportModel *model);
const FilterDrop *model_drop(const ReportModel *model, guint index);

/* Whether a filter dropped stacks, not groups. */
bool model_drop_is_of_stacks(const ReportModel *model, guint index);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "held/durations.h"
#include "names/run_names.h"
#include "report/facts.h"

#include <glib.h>

/*
 * ManyRuns has the facts of several runs that are in one report: those of each run that its rows
 * show, and those of all together. Numbers and losses add up; a text is known if it is the same in
 * all runs, or it says of how many runs it is.
 */
typedef struct ManyRuns ManyRuns;

/* The facts of a run that are columns of its rows. */
enum { RUN_FACTS = 7 };
extern const FactId run_facts[RUN_FACTS];

/* Sums over the runs that no fact has. */
typedef struct {
	uint32_t recordings;
	uint32_t hosts;
	uint32_t releases; /* of kernels */
	uint32_t not_read; /* recordings that could not be read */
	uint64_t duration_min_ns;
	uint64_t duration_max_ns;
} RunCounts;

/* Returns facts of no run; names is borrowed. Run 0 is that of what finds no room. Free them with
   many_runs_free(). */
ManyRuns *many_runs_new(const RunNames *names);
void many_runs_free(ManyRuns *runs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ManyRuns, many_runs_free)

/* Adds the facts of the next run, which may be freed then, and the lengths of its time spans. */
void many_runs_add(ManyRuns *runs, const Facts *facts, const DurationTotals *spans);

/* Notes that a recording could not be read. */
void many_runs_add_unread(ManyRuns *runs);

/* Returns the numbers of recordings, hosts and releases, and the lengths of the runs. */
RunCounts many_runs_counts(const ManyRuns *runs);

/* Returns the facts of all runs, which borrow their texts from runs. Free them with
   facts_free(). */
Facts *many_runs_facts(const ManyRuns *runs);

/* Returns the values of run_facts of a run, or of all runs of its host; borrowed. */
const Value *many_runs_of_run(const ManyRuns *runs, uint32_t run);
const Value *many_runs_of_host(const ManyRuns *runs, uint32_t run);

/* Returns the sums of all time spans. */
const DurationTotals *many_runs_spans(const ManyRuns *runs);

/* Returns what two runs recorded differently, as facts (element-type FactId): rows may differ for
   that reason. The caller unrefs it. */
GArray *diff_notes_new(const Facts *older, const Facts *newer);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "callsite_skip.h"
#include "filter.h"
#include "table/cell_filter.h"
#include "table/filter_chain.h"
#include "table/dimension.h"
#include "table/metric.h"
#include "table/stack_rows.h"

#include <glib.h>

/*
 * A View is a profile made readable: stacks that print the same are one row, rows are filtered,
 * ranked and cut. Same profile, same options: same rows in the same order.
 */

/* The processes of a name (or an interrupt context) and their share of a row. */
typedef struct {
	uint32_t tgid;    /* of a single process; 0: of several, or of an interrupt context */
	uint8_t context;  /* enum KmtContext */
	const char *comm; /* as recorded, not yet escaped; of several: of one of them */
	uint64_t allocations;
	uint32_t processes; /* how many there are; an interrupt context is one */
} ViewProcess;

typedef struct {
	RowSums sums;
	uint32_t row;   /* the view's own number of it */
	bool truncated; /* any of its stacks reached the depth limit */
} ViewStack;

/* What a condition on counters took away. */
typedef struct {
	const char *option; /* "cgroup" */
	const char *given;  /* as the user gave it; NULL: not given */
	uint64_t allocations;
	char *remark; /* what else there is to say; NULL: nothing */
} ViewLeftOut;

/* What a view needs to make texts and processes of single rows. */
typedef struct ViewRows ViewRows;

typedef struct {
	GPtrArray *
		filters; /* (element-type Filter), borrowed; applied in the order of filter_types */
	const GArray *cells; /* (element-type CellFilter): what is counted at all; NULL: all */
	const Metric *sort;  /* NULL: allocations */
	uint64_t top;        /* rows to keep; UINT64_MAX: all */
	/*
	 * What stacks are grouped by, ended by NULL; the first is NULL where they are not.
	 * Conditions on numbers, the order and the top are then those of the groups, and no stack
	 * is dropped by them: see group_rows.h.
	 */
	const Dimension *by[DIMENSIONS_MAX + 1];
	/* Whose frames are no call sites (--by=callsite), borrowed; NULL: the allocators' only. */
	const CallsiteSkip *callsite_skip;
} ViewOptions;

/* What rows are ranked by. */
const Metric *view_rank(const ViewOptions *options);

typedef struct {
	GPtrArray *stacks;   /* (element-type ViewStack), owned, ranked; all have allocations */
	const GArray *drops; /* (element-type FilterDrop), owned by rows */
	GArray *processes;   /* (element-type ViewProcess) of the kept stacks together, as below */
	uint64_t stacks_before;
	uint64_t stacks_after;
	RowSums before;            /* sums over all stacks */
	RowSums after;             /* sums over the kept ones */
	uint64_t failed_before;    /* also of stacks with no allocation that succeeded */
	uint64_t stacks_truncated; /* of all stacks: those that reached the depth limit */
	uint64_t left_out;         /* allocations that a cell filter took away */
	GArray *left_out_by;       /* (element-type ViewLeftOut), one per cell filter in order */
	uint64_t frees;            /* recorded beside the allocations, not ranked */
	ViewRows *rows;            /* private */
} View;

/* Returns the view of a profile; free it with view_free(). What the source names must outlive it.
 */
View *view_new(const ViewSource *source, const ViewOptions *options);
void view_free(View *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(View, view_free)

/* What the view was made of, and the names of its stacks; borrowed. */
const ViewSource *view_source(const View *view);
const StackRows *view_stack_rows(const View *view);

/* Whether a cell of the profile has allocations that count in this view. */
bool view_counts_cell(const View *view, uint32_t cell);

/* Returns the counters of a row, as indexes for profile_cell(), and their number. */
const uint32_t *view_cells(const View *view, const ViewStack *stack, uint32_t *count);

/* Appends the frame lines of a row as printed, each ended by '\n', innermost first. */
void view_append_text(const View *view, const ViewStack *stack, GString *out);

/* Returns the processes of a row by name and what they allocated there, most first (element-type
   ViewProcess). What interrupts allocated is an entry of its own and never the interrupted
   process's. The caller unrefs it. */
GArray *view_processes(const View *view, const ViewStack *stack);

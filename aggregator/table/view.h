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
 * A View is a profile prepared for printing: stacks that print the same are one row; rows are
 * filtered, ranked and limited to the top. The same profile and options give the same rows in the
 * same order.
 */

/* The processes of one name (or an interrupt context) and their share of a row. */
typedef struct {
	uint32_t tgid;    /* of a single process; 0: several processes, or an interrupt context */
	uint8_t context;  /* enum KmtContext */
	const char *comm; /* as recorded, not yet escaped; for several: that of one of them */
	uint64_t allocations;
	uint32_t processes; /* number of processes; 1 for an interrupt context; 0: not known */
} ViewProcess;

typedef struct {
	RowSums sums;
	uint32_t row;   /* its number inside the view */
	bool truncated; /* one of its stacks reached the depth limit */
} ViewStack;

/* The allocations that a cell filter dropped. */
typedef struct {
	const char *option; /* "cgroup" */
	const char *given;  /* as the user gave it; NULL: not given */
	uint64_t allocations;
	char *remark; /* additional text for the report; NULL: none */
} ViewLeftOut;

/* The data for texts and processes of single rows. */
typedef struct ViewRows ViewRows;

typedef struct {
	GPtrArray *
		filters; /* (element-type Filter), borrowed; applied in the order of filter_types */
	const GArray *cells; /* (element-type CellFilter): select what counts; NULL: all */
	const Metric *sort;  /* NULL: allocations */
	uint64_t top;        /* rows to keep; UINT64_MAX: all */
	/*
	 * Keys that group stacks, ended by NULL; keys[0] NULL: not grouped. Filters on numbers, the
	 * order and the top then apply to groups, and drop no stack: see group_rows.h.
	 */
	const Dimension *by[DIMENSIONS_MAX + 1];
	/* Functions that are not call sites (--by=callsite), borrowed; NULL: only the
	   allocators. */
	const CallsiteSkip *callsite_skip;
	bool notes_cells; /* GroupRows.rows_of_cells is needed */
} ViewOptions;

/* Returns the metric that ranks rows. */
const Metric *view_rank(const ViewOptions *options);

typedef struct {
	GPtrArray *stacks;   /* (element-type ViewStack), owned, ranked; all have allocations */
	const GArray *drops; /* (element-type FilterDrop), owned by rows */
	GArray *processes;   /* (element-type ViewProcess) of the kept stacks together, as below */
	uint64_t stacks_before;
	uint64_t stacks_after;
	RowSums before;            /* sums over all stacks */
	RowSums after;             /* sums over the kept ones */
	uint64_t failed_before;    /* includes stacks without a successful allocation */
	uint64_t stacks_truncated; /* number of stacks that reached the depth limit */
	uint64_t left_out;         /* allocations dropped by cell filters */
	GArray *left_out_by;       /* (element-type ViewLeftOut), one per cell filter in order */
	/* Recorded with the allocations, not ranked: */
	uint64_t frees;       /* of slab objects */
	uint64_t page_frees;  /* of pages */
	uint64_t range_frees; /* of memory of each CPU, and of ranges of the vmalloc area */
	ViewRows *rows;       /* private */
} View;

/* Returns the view of a profile; free it with view_free(). The members of source must outlive
   it. */
View *view_new(const ViewSource *source, const ViewOptions *options);
void view_free(View *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(View, view_free)

/* Adds what was left out of the cells before the view was made (element-type ViewLeftOut). Remarks
   are copied. */
void view_add_left_out(View *view, const GArray *left_out);

/* Return the source of the view, and the names of its stacks; borrowed. */
const ViewSource *view_source(const View *view);
const StackRows *view_stack_rows(const View *view);

/* Whether a cell of the profile has allocations that count in this view. */
bool view_counts_cell(const View *view, uint32_t cell);

/* Returns the cells of a row, as indexes for view_source_cell(), and their number. */
const uint32_t *view_cells(const View *view, const ViewStack *stack, uint32_t *count);

/* Appends the frame lines of a row as printed, each ended by '\n', innermost first. */
void view_append_text(const View *view, const ViewStack *stack, GString *out);

/* Returns the processes of a row by name, and their allocations in it, most first (element-type
   ViewProcess). Allocations in interrupts are separate entries, never charged to the interrupted
   process. The caller unrefs it. */
GArray *view_processes(const View *view, const ViewStack *stack);

/* Returns the times of the objects of a row, or of all rows if stack is NULL; all 0: not known. */
HeldTimes view_times(const View *view, const ViewStack *stack);

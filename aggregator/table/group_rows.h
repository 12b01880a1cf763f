/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_table.h"
#include "table/view.h"

/*
 * GroupRows is a view grouped by up to three keys. Each group, or tuple of groups, with allocations
 * (or failed ones) in the view's stacks has a row of sums. Rows are filtered by numbers, ranked and
 * limited to the top. The same view and options give the same rows in the same order.
 */
typedef struct GroupIndexes GroupIndexes;

#define GROUP_ROWS_NONE UINT32_MAX

typedef struct {
	const Dimension *const *keys; /* ended by NULL; borrowed from the options */
	GArray *rows;                 /* (element-type GroupRow), owned, ranked */
	const GArray *drops; /* (element-type FilterDrop): per filter on numbers, then the top */
	uint64_t rows_before;
	RowSums before;   /* of all rows */
	RowSums after;    /* of the kept rows */
	RowSums others;   /* of the rows not kept */
	uint32_t numbers; /* of rows, with those that were dropped: GroupRow.number is below */
	/* By cell of the view's source: GroupRow.number of its row, or GROUP_ROWS_NONE. Owned;
	   NULL: not needed. */
	uint32_t *rows_of_cells;
	/* Private. */
	GroupIndexes *indexes;
	FilterChain *filters;
} GroupRows;

/* Groups by options->by, which must have a key. Names are shortened unless whole_names is set. View
   and options must outlive the result; free it with group_rows_free(). */
GroupRows *group_rows_new(const View *view, const ViewOptions *options, bool whole_names);
void group_rows_free(GroupRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GroupRows, group_rows_free)

/* Returns the member that labels a row in this key, of the kind in GroupMember; for the key "stack"
   a row of view_stack_rows(). */
uint32_t group_rows_member(const GroupRows *rows, const GroupRow *row, guint key);

/* Appends the escaped label of a row in this key. */
void group_rows_append_label(const GroupRows *rows, const GroupRow *row, guint key, GString *out);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/group_table.h"
#include "table/view.h"

/*
 * GroupRows is a view grouped by up to three keys: for each group, or tuple of groups, that has
 * allocations (or failed ones) in the stacks of the view a row of sums; filtered by numbers,
 * ranked and cut. Same view, same options: same rows in the same order.
 */
typedef struct GroupIndexes GroupIndexes;

typedef struct {
	const Dimension *const *keys; /* ended by NULL; borrowed from the options */
	GArray *rows;                 /* (element-type GroupRow), owned, ranked */
	const GArray *drops; /* (element-type FilterDrop): each filter of numbers, then the top */
	uint64_t rows_before;
	RowSums before; /* over all rows */
	RowSums after;  /* over the kept ones */
	RowSums others; /* over those not kept */
	/* Private. */
	GroupIndexes *indexes;
	FilterChain *filters;
} GroupRows;

/* Groups by options->by, which must name a key; names are shortened unless whole_names. The view
   and the options must outlive the result, which group_rows_free() frees. */
GroupRows *group_rows_new(const View *view, const ViewOptions *options, bool whole_names);
void group_rows_free(GroupRows *rows);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(GroupRows, group_rows_free)

/* Returns what names a row in the key of that number, as GroupMember says; of the key "stack" a row
   of view_stack_rows(). */
uint32_t group_rows_member(const GroupRows *rows, const GroupRow *row, guint key);

/* Appends the label of a row in the key of that number, escaped. */
void group_rows_append_label(const GroupRows *rows, const GroupRow *row, guint key, GString *out);

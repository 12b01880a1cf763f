/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a report that has to fit a terminal. Rows of held objects that one call leaves are
 * one row: a new socket is an object of each of five caches, so a leak of sockets is five rows of
 * one process, one path and one number. model.c fills in ReportModel.calls.
 */
#include "report/model.h"

#include "base/unconst.h"

#include <string.h>

enum {
	HELD_MIN = 10,       /* small numbers are equal by chance */
	NEAR_PART = 50,      /* numbers that differ by at most one of so many are equal */
	OUTER_FRAMES = 3,    /* a system call: its entry, the dispatcher, its function */
	MOST_PERCENT = 80,   /* of a row, for the process that it is of */
	LOOKED_AT_MAX = 200, /* rows: a terminal shows fewer */
};

static CallRow *call_row_new(const RowSums *sums, guint row)
{
	CallRow *call = g_new0(CallRow, 1);

	call->sums = *sums;
	call->rows = g_array_new(FALSE, FALSE, sizeof(guint));
	g_array_append_val(call->rows, row);
	return call;
}

static void call_row_free(CallRow *call)
{
	g_array_unref(call->rows);
	g_free(call);
}

static bool are_near(uint64_t a, uint64_t b)
{
	return MAX(a, b) - MIN(a, b) <= MAX(a, b) / NEAR_PART;
}

static bool have_same_numbers(const RowSums *a, const RowSums *b)
{
	return MIN(a->summary.allocations, b->summary.allocations) >= HELD_MIN &&
	       are_near(a->summary.allocations, b->summary.allocations) &&
	       are_near(a->held.allocated, b->held.allocated) &&
	       are_near(a->held.freed, b->held.freed);
}

/* Whether two stacks, rows of StackRows, come from one system call. */
static bool have_same_entry(const StackRows *stacks, uint32_t a, uint32_t b)
{
	uint32_t count_a, count_b, same = 0;
	const FrameId *ids_a = stack_rows_frames(stacks, a, &count_a);
	const FrameId *ids_b = stack_rows_frames(stacks, b, &count_b);

	while (same < MIN(count_a, count_b) &&
	       ids_a[count_a - 1 - same] == ids_b[count_b - 1 - same])
		same++;
	return same >= OUTER_FRAMES;
}

/* Whether one process made most of both, the same one. */
static bool have_same_process(const View *view, const ViewStack *a, const ViewStack *b)
{
	const ViewStack *const stacks[] = { a, b };
	const ViewProcess *first = NULL;
	g_autoptr(GArray) of_a = view_processes(view, a), of_b = view_processes(view, b);
	const GArray *const processes[] = { of_a, of_b };

	for (gsize i = 0; i < G_N_ELEMENTS(stacks); i++) {
		const uint64_t all = stacks[i]->sums.summary.allocations;
		const ViewProcess *process;

		if (!processes[i]->len)
			return false;
		process = &g_array_index(processes[i], ViewProcess, 0);
		if ((double)process->allocations * 100 < (double)all * MOST_PERCENT ||
		    (first && (first->tgid != process->tgid || first->context != process->context ||
			       strcmp(first->comm, process->comm) != 0)))
			return false;
		first = process;
	}
	return true;
}

static bool are_stacks_of_call(const View *view, guint a, guint b)
{
	const ViewStack *stack_a = view->stacks->pdata[a], *stack_b = view->stacks->pdata[b];

	return have_same_entry(view_stack_rows(view), stack_a->row, stack_b->row) &&
	       have_same_process(view, stack_a, stack_b);
}

/* Rows of one call have all keys in common but the cache and, up to the call, the stack. */
static bool are_groups_of_call(const View *view, const GroupRows *groups, guint a, guint b)
{
	const GroupRow *row_a = &g_array_index(groups->rows, GroupRow, a);
	const GroupRow *row_b = &g_array_index(groups->rows, GroupRow, b);

	if (!dimensions_have(groups->keys, "process") && !dimensions_have(groups->keys, "pid"))
		return false;
	for (guint key = 0; groups->keys[key]; key++) {
		bool is_same = row_a->groups[key] == row_b->groups[key];

		if (dimension_is_stack(groups->keys[key]))
			is_same = have_same_entry(view_stack_rows(view),
						  group_rows_member(groups, row_a, key),
						  group_rows_member(groups, row_b, key));
		if (!is_same && !g_str_equal(groups->keys[key]->name, "cache"))
			return false;
	}
	return true;
}

static bool are_of_call(const ReportModel *model, const CallRow *call, guint row,
			const RowSums *sums)
{
	guint first = call_row_first(call);
	const RowSums *first_sums = model_row_sums(model, first);

	return have_same_numbers(first_sums, sums) &&
	       (model->groups ? are_groups_of_call(model->view, model->groups, first, row)
			      : are_stacks_of_call(model->view, first, row));
}

/* Adds a row to its call. Returns false if it is the first one. */
static bool join_call(const ReportModel *model, const GPtrArray *calls, guint row)
{
	const RowSums *sums = model_row_sums(model, row);

	for (guint i = 0; i < calls->len; i++) {
		CallRow *call = calls->pdata[i];

		if (!are_of_call(model, call, row, sums))
			continue;
		row_sums_add(&call->sums, sums);
		g_array_append_val(call->rows, row);
		return true;
	}
	return false;
}

static gint call_rows_compare(gconstpointer left, gconstpointer right, gpointer rank)
{
	const CallRow *const *a = left, *const *b = right;

	return metric_compare(rank, &(*a)->sums, &(*b)->sums);
}

GPtrArray *call_rows_new(const ReportModel *model)
{
	GPtrArray *calls = g_ptr_array_new_with_free_func((GDestroyNotify)call_row_free);
	const guint count = model->groups ? model->groups->rows->len : model->view->stacks->len;
	const guint joined = model_counts(model) == COUNTS_HELD ? LOOKED_AT_MAX : 0;
	const Metric *rank = view_rank(model->source->options);

	for (guint row = 0; row < count; row++)
		if (row >= joined || !join_call(model, calls, row))
			g_ptr_array_add(calls, call_row_new(model_row_sums(model, row), row));
	if (joined)
		g_ptr_array_sort_with_data(calls, call_rows_compare, unconst(rank));
	return calls;
}

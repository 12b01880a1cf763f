/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prepares a profile for printing: picks the cells that count, groups them by row of stacks,
 * filters, ranks and cuts. It holds rows and cells in flat arrays. Every report begins with a view.
 */
#include "table/view.h"

#include "base/hot_assert.h"
#include "table/process_sums.h"
#include "table/stack_rows.h"
#include "base/saturate.h"

struct ViewRows {
	ViewSource source;
	StackRows *names;
	ViewStack *stacks;     /* by row */
	uint8_t *picks;        /* (CellPick) by cell */
	uint32_t *cells;       /* of allocations, grouped by row */
	uint32_t *cells_until; /* by row: end of its group in cells */
	FilterChain *filters;
};

static uint32_t row_of_cell(const ViewRows *rows, const ProfileCell *cell)
{
	return stack_rows_row(rows->names,
			      profile_origin(rows->source.profile, cell->origin)->stack);
}

/* The role of a cell in the view. PICK_LEFT_OUT + the number of the filter that dropped it. */
typedef enum { PICK_ALLOCATION, PICK_FREE, PICK_OWN, PICK_LEFT_OUT } CellPick;

static void pick_cells(View *view, const GArray *filters)
{
	ViewRows *rows = view->rows;
	uint32_t cells = view_source_cells(&rows->source);
	g_autoptr(CellFilters) prepared = cell_filters_new(filters, &rows->source);

	rows->picks = g_new(uint8_t, cells);
	for (uint32_t i = 0; i < cells; i++) {
		const ProfileCell *cell = view_source_cell(&rows->source, i);
		const ProfileOrigin *origin = profile_origin(rows->source.profile, cell->origin);
		int against = cell_filters_against(prepared, cell);

		rows->picks[i] = (uint8_t)(against >= 0   ? PICK_LEFT_OUT + (unsigned)against
					   : origin->free ? PICK_FREE
					   : origin->own  ? PICK_OWN
							  : PICK_ALLOCATION);
	}
	for (guint i = 0; filters && i < filters->len; i++) {
		const CellFilter *filter = &g_array_index(filters, CellFilter, i);
		const ViewLeftOut left_out = { .option = filter->type->option,
					       .given = filter->given,
					       .remark = cell_filters_remark(prepared, i) };

		g_array_append_val(view->left_out_by, left_out);
	}
}

/* Groups the allocation cells by row: counts, sums up, then fills each group from its end. */
static void group_cells(ViewRows *rows)
{
	uint32_t cells = view_source_cells(&rows->source);
	uint32_t count = stack_rows_count(rows->names);
	uint32_t until = 0;

	rows->cells = g_new(uint32_t, cells);
	rows->cells_until = g_new0(uint32_t, count + 1);
	for (uint32_t i = 0; i < cells; i++) {
		const ProfileCell *cell = view_source_cell(&rows->source, i);

		if (rows->picks[i] == PICK_ALLOCATION)
			rows->cells_until[row_of_cell(rows, cell) + 1]++;
	}
	for (uint32_t row = 0; row <= count; row++)
		rows->cells_until[row] = until += rows->cells_until[row];
	hot_assert(until <= cells);
	for (uint32_t i = 0; i < cells; i++) {
		const ProfileCell *cell = view_source_cell(&rows->source, i);

		if (rows->picks[i] == PICK_ALLOCATION)
			rows->cells[rows->cells_until[row_of_cell(rows, cell)]++] = i;
	}
}

static ViewRows *rows_new(const ViewSource *source, const ViewOptions *options)
{
	ViewRows *rows = g_new0(ViewRows, 1);
	/* If stacks are grouped, filters on numbers, and the top, apply to groups, later. */
	FilterPart part = options->by[0] ? FILTERS_OF_FRAMES : FILTERS_ALL;

	rows->source = *source;
	rows->names = stack_rows_new(source);
	rows->stacks = g_new0(ViewStack, stack_rows_count(rows->names));
	rows->filters = filter_chain_new(options->filters, part, options->top);
	return rows;
}

static uint64_t *frees_of(View *view, uint8_t source)
{
	if (source == KMT_SOURCE_PAGE)
		return &view->page_frees;
	return source == KMT_SOURCE_PERCPU || source == KMT_SOURCE_VMALLOC ? &view->range_frees
									   : &view->frees;
}

static void count_cell(View *view, const ProfileCell *cell, unsigned pick)
{
	ViewRows *rows = view->rows;
	const ProfileOrigin *origin = profile_origin(rows->source.profile, cell->origin);
	ViewStack *stack = &rows->stacks[row_of_cell(rows, cell)];

	if (pick == PICK_FREE)
		saturate_add(frees_of(view, origin->source), cell->events);
	if (pick >= PICK_LEFT_OUT && !origin->free && !origin->own) {
		unsigned filter = pick - PICK_LEFT_OUT;

		hot_assert(filter < view->left_out_by->len);
		saturate_add(&view->left_out, cell->events);
		saturate_add(&g_array_index(view->left_out_by, ViewLeftOut, filter).allocations,
			     cell->events);
	}
	if (pick != PICK_ALLOCATION)
		return;
	cell_add_sums(&rows->source, cell, &stack->sums);
	stack->truncated |= origin->truncated;
	saturate_add(&view->failed_before, cell->failed);
}

const Metric *view_rank(const ViewOptions *options)
{
	return options->sort ? options->sort : &metrics[METRIC_ALLOCATIONS];
}

/* Adds up the rows, except those without a successful allocation. */
static void count_rows(View *view, const ViewOptions *options)
{
	ViewRows *rows = view->rows;

	for (uint32_t i = 0; i < view_source_cells(&rows->source); i++)
		count_cell(view, view_source_cell(&rows->source, i), rows->picks[i]);
	for (uint32_t row = 0; row < stack_rows_count(rows->names); row++) {
		ViewStack *stack = &rows->stacks[row];
		const RowSums *sums = &stack->sums;

		/* A stack that holds nothing may still rank high by what it freed, or belong to a
		   group. */
		if (!sums->summary.allocations && !metric_figure(view_rank(options), sums) &&
		    !(options->by[0] && sums->held.allocated)) {
			held_sums_add(&view->before.held, &stack->sums.held);
			continue;
		}
		stack->row = row;
		row_sums_add(&view->before, &stack->sums);
		view->stacks_truncated += stack->truncated;
		g_ptr_array_add(view->stacks, stack);
	}
	view->stacks_before = view->stacks->len;
}

static void filter_rows(View *view)
{
	FilterChain *chain = view->rows->filters;
	guint kept = 0;

	if (!filter_chain_filters(chain))
		return;
	for (guint i = 0; i < view->stacks->len; i++) {
		ViewStack *stack = g_ptr_array_index(view->stacks, i);

		if (filter_chain_keeps_stack(chain, &stack->sums.summary, view->rows->names,
					     stack->row))
			view->stacks->pdata[kept++] = stack;
	}
	g_ptr_array_set_size(view->stacks, (gint)kept);
}

typedef struct {
	const Metric *by;
	const StackRows *names;
} Ranking;

static gint view_compare(gconstpointer left, gconstpointer right, gpointer user_data)
{
	const ViewStack *a = *(ViewStack *const *)left, *b = *(ViewStack *const *)right;
	const Ranking *ranking = user_data;
	int order = metric_compare(ranking->by, &a->sums, &b->sums);

	return order ? order : stack_rows_compare(ranking->names, a->row, b->row);
}

static void rank_rows(View *view, const ViewOptions *options)
{
	Ranking ranking = { view_rank(options), view->rows->names };
	const uint64_t top = options->by[0] ? UINT64_MAX : options->top;

	g_ptr_array_sort_with_data(view->stacks, view_compare, &ranking);
	for (guint i = view->stacks->len; i > top; i--) {
		const ViewStack *stack = g_ptr_array_index(view->stacks, i - 1);

		filter_chain_cut(view->rows->filters, &stack->sums.summary);
	}
	if (view->stacks->len > top)
		g_ptr_array_set_size(view->stacks, (gint)top);
	view->stacks_after = view->stacks->len;
	for (guint i = 0; i < view->stacks->len; i++) {
		const ViewStack *stack = g_ptr_array_index(view->stacks, i);

		row_sums_add(&view->after, &stack->sums);
	}
}

static void add_processes(const View *view, const ViewStack *stack, ProcessSums *sums)
{
	uint32_t count;
	const uint32_t *cells = view_cells(view, stack, &count);

	for (uint32_t i = 0; i < count; i++)
		process_sums_add(sums, view_source_cell(&view->rows->source, cells[i]));
}

static void left_out_clear(void *left_out)
{
	g_free(((ViewLeftOut *)left_out)->remark);
}

View *view_new(const ViewSource *source, const ViewOptions *options)
{
	View *view = g_new0(View, 1);
	g_autoptr(ProcessSums) sums = NULL;

	view->rows = rows_new(source, options);
	view->stacks = g_ptr_array_sized_new(stack_rows_count(view->rows->names));
	view->drops = filter_chain_drops(view->rows->filters);
	view->left_out_by = g_array_new(FALSE, FALSE, sizeof(ViewLeftOut));
	g_array_set_clear_func(view->left_out_by, left_out_clear);
	pick_cells(view, options->cells);
	group_cells(view->rows);
	count_rows(view, options);
	filter_rows(view);
	rank_rows(view, options);
	sums = process_sums_new(source->profile);
	for (guint i = 0; i < view->stacks->len; i++)
		add_processes(view, g_ptr_array_index(view->stacks, i), sums);
	view->processes = process_sums_ranked(sums);
	return view;
}

void view_free(View *view)
{
	ViewRows *rows = view ? view->rows : NULL;

	if (!view)
		return;
	g_ptr_array_unref(view->stacks);
	g_array_unref(view->left_out_by);
	g_array_unref(view->processes);
	stack_rows_free(rows->names);
	g_free(rows->stacks);
	g_free(rows->picks);
	g_free(rows->cells);
	g_free(rows->cells_until);
	filter_chain_free(rows->filters);
	g_free(rows);
	g_free(view);
}

void view_add_left_out(View *view, const GArray *left_out)
{
	for (guint i = 0; i < left_out->len; i++) {
		ViewLeftOut one = g_array_index(left_out, ViewLeftOut, i);

		saturate_add(&view->left_out, one.allocations);
		one.remark = g_strdup(one.remark);
		g_array_append_val(view->left_out_by, one);
	}
}

const ViewSource *view_source(const View *view)
{
	return &view->rows->source;
}

const StackRows *view_stack_rows(const View *view)
{
	return view->rows->names;
}

bool view_counts_cell(const View *view, uint32_t cell)
{
	hot_assert(cell < view_source_cells(&view->rows->source));
	return view->rows->picks[cell] == PICK_ALLOCATION;
}

const uint32_t *view_cells(const View *view, const ViewStack *stack, uint32_t *count)
{
	const ViewRows *rows = view->rows;
	uint32_t start = stack->row ? rows->cells_until[stack->row - 1] : 0;

	hot_assert(stack->row < stack_rows_count(rows->names));
	hot_assert(start <= rows->cells_until[stack->row]);
	*count = rows->cells_until[stack->row] - start;
	return rows->cells + start;
}

void view_append_text(const View *view, const ViewStack *stack, GString *out)
{
	stack_rows_append_text(view->rows->names, stack->row, out);
}

GArray *view_processes(const View *view, const ViewStack *stack)
{
	g_autoptr(ProcessSums) sums = process_sums_new(view->rows->source.profile);

	add_processes(view, stack, sums);
	return process_sums_ranked(sums);
}

static void add_times(const View *view, const ViewStack *stack, HeldTimes *times)
{
	const ViewSource *source = view_source(view);
	uint32_t count;
	const uint32_t *cells = view_cells(view, stack, &count);

	for (uint32_t i = 0; i < count; i++)
		held_cells_add_times(source->held_cells,
				     held_cells_at(source->held_cells, cells[i]), times);
}

HeldTimes view_times(const View *view, const ViewStack *stack)
{
	HeldTimes times = { 0 };

	if (!view_source(view)->held_cells)
		return times;
	if (stack)
		add_times(view, stack, &times);
	for (guint i = 0; !stack && i < view->stacks->len; i++)
		add_times(view, g_ptr_array_index(view->stacks, i), &times);
	return times;
}

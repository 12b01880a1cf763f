/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A view grouped by keys: adds its cells up in a GroupTable, then drops, filters, ranks and cuts
 * the rows. Reports, details and comparisons show the result.
 */
#include "table/group_rows.h"

#include "base/hot_assert.h"
#include "table/filter_chain.h"

struct GroupIndexes {
	GroupNaming naming;
	GroupIndex *of[DIMENSIONS_MAX + 1]; /* owned; NULL after the last key */
};

static GroupIndexes *indexes_new(const View *view, const ViewOptions *options, bool whole_names)
{
	GroupIndexes *indexes = g_new0(GroupIndexes, 1);

	indexes->naming = (GroupNaming){
		.source = view_source(view),
		.stacks = view_stack_rows(view),
		.skip = options->callsite_skip,
		.whole = whole_names,
	};
	for (guint i = 0; options->by[i]; i++)
		indexes->of[i] = group_index_new(options->by[i], &indexes->naming);
	return indexes;
}

static void group_cell(GroupRows *rows, GroupTable *table, uint32_t number)
{
	const ProfileCell *cell = view_source_cell(table->source, number);
	uint32_t row;

	hot_assert(number < view_source_cells(table->source));
	if (!cell->events && !cell->failed && cell->kind == CELL_ALONE)
		return;
	row = group_table_add(table, cell);
	if (rows->rows_of_cells)
		rows->rows_of_cells[number] = row;
}

static void group_stacks(GroupRows *rows, const View *view)
{
	GroupTable table;

	group_table_init(&table, view_source(view), rows->indexes->of);
	for (guint i = 0; i < view->stacks->len; i++) {
		uint32_t count;
		const uint32_t *cells =
			view_cells(view, g_ptr_array_index(view->stacks, i), &count);

		for (uint32_t j = 0; j < count; j++)
			group_cell(rows, &table, cells[j]);
	}
	rows->numbers = table.rows->len;
	rows->rows = g_steal_pointer(&table.rows);
	group_table_clear(&table);
}

static void sum_up(const GArray *rows, RowSums *sum)
{
	for (guint i = 0; i < rows->len; i++)
		row_sums_add(sum, &g_array_index(rows, GroupRow, i).sums);
}

/* Groups that hold nothing have no row, unless they rank by what they held, or freed. */
static void drop_empty(GroupRows *rows, const Metric *rank)
{
	guint kept = 0;

	for (guint i = 0; i < rows->rows->len; i++) {
		const RowSums *sums = &g_array_index(rows->rows, GroupRow, i).sums;

		if (sums->summary.allocations || sums->summary.failed || metric_figure(rank, sums))
			g_array_index(rows->rows, GroupRow, kept++) =
				g_array_index(rows->rows, GroupRow, i);
	}
	g_array_set_size(rows->rows, kept);
}

static void filter_rows(GroupRows *rows)
{
	guint kept = 0;

	for (guint i = 0; i < rows->rows->len; i++) {
		GroupRow *row = &g_array_index(rows->rows, GroupRow, i);

		if (filter_chain_keeps(rows->filters, &row->sums.summary))
			g_array_index(rows->rows, GroupRow, kept++) = *row;
		else
			row_sums_add(&rows->others, &row->sums);
	}
	g_array_set_size(rows->rows, kept);
}

typedef struct {
	const Metric *by;
	const GroupRows *rows;
} Ranking;

static gint group_rows_compare(gconstpointer left, gconstpointer right, gpointer user_data)
{
	const GroupRow *a = left, *b = right;
	const Ranking *ranking = user_data;
	int order = metric_compare(ranking->by, &a->sums, &b->sums);

	for (guint i = 0; !order && ranking->rows->keys[i]; i++)
		order = group_index_compare(ranking->rows->indexes->of[i], a->groups[i],
					    b->groups[i]);
	return order;
}

static void rank_rows(GroupRows *rows, const ViewOptions *options)
{
	Ranking ranking = { view_rank(options), rows };

	g_array_sort_with_data(rows->rows, group_rows_compare, &ranking);
	for (guint i = rows->rows->len; i > options->top; i--) {
		const GroupRow *row = &g_array_index(rows->rows, GroupRow, i - 1);

		filter_chain_cut(rows->filters, &row->sums.summary);
		row_sums_add(&rows->others, &row->sums);
	}
	if (rows->rows->len > options->top)
		g_array_set_size(rows->rows, (guint)options->top);
}

GroupRows *group_rows_new(const View *view, const ViewOptions *options, bool whole_names)
{
	GroupRows *rows = g_new0(GroupRows, 1);
	uint32_t cells = view_source_cells(view_source(view));

	rows->keys = options->by;
	rows->indexes = indexes_new(view, options, whole_names);
	rows->filters = filter_chain_new(options->filters, FILTERS_OF_NUMBERS, options->top);
	rows->drops = filter_chain_drops(rows->filters);
	if (options->notes_cells)
		rows->rows_of_cells = g_new(uint32_t, cells);
	for (uint32_t i = 0; options->notes_cells && i < cells; i++)
		rows->rows_of_cells[i] = GROUP_ROWS_NONE;
	group_stacks(rows, view);
	sum_up(rows->rows, &rows->before);
	drop_empty(rows, view_rank(options));
	rows->rows_before = rows->rows->len;
	filter_rows(rows);
	rank_rows(rows, options);
	sum_up(rows->rows, &rows->after);
	return rows;
}

void group_rows_free(GroupRows *rows)
{
	if (!rows)
		return;
	g_array_unref(rows->rows);
	g_free(rows->rows_of_cells);
	for (guint i = 0; i < DIMENSIONS_MAX; i++)
		group_index_free(rows->indexes->of[i]);
	g_free(rows->indexes);
	filter_chain_free(rows->filters);
	g_free(rows);
}

uint32_t group_rows_member(const GroupRows *rows, const GroupRow *row, guint key)
{
	hot_assert(rows->keys[key]);
	return group_index_member(rows->indexes->of[key], row->groups[key]);
}

void group_rows_append_label(const GroupRows *rows, const GroupRow *row, guint key, GString *out)
{
	hot_assert(rows->keys[key]);
	group_index_append_label(rows->indexes->of[key], row->groups[key], out);
}

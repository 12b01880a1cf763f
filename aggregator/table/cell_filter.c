/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prepares the cell filters of a view, each with a state of its own, and asks them for one cell.
 * view.c and the tables of rates drop what any of them refuses; reports print their remarks.
 */
#include "table/cell_filter.h"

#include "base/hot_assert.h"

struct CellFilters {
	const GArray *filters; /* (element-type CellFilter), borrowed; NULL: none */
	void *states[];        /* the result of each filter's prepare() */
};

static guint filter_count(const GArray *filters)
{
	return filters ? filters->len : 0;
}

static const CellFilter *filter_at(const GArray *filters, guint number)
{
	hot_assert(number < filters->len);
	return &g_array_index(filters, CellFilter, number);
}

CellFilters *cell_filters_new(const GArray *filters, const ViewSource *source)
{
	guint count = filter_count(filters);
	CellFilters *prepared = g_malloc(sizeof(*prepared) + count * sizeof(*prepared->states));

	prepared->filters = filters;
	for (guint i = 0; i < count; i++) {
		const CellFilter *filter = filter_at(filters, i);

		prepared->states[i] = filter->type->prepare(filter->argument, source);
	}
	return prepared;
}

void cell_filters_free(CellFilters *prepared)
{
	if (!prepared)
		return;
	for (guint i = 0; i < filter_count(prepared->filters); i++)
		filter_at(prepared->filters, i)->type->dispose(prepared->states[i]);
	g_free(prepared);
}

int cell_filters_against(CellFilters *prepared, const ProfileCell *cell)
{
	for (guint i = 0; i < filter_count(prepared->filters); i++)
		if (!filter_at(prepared->filters, i)->type->keeps(prepared->states[i], cell))
			return (int)i;
	return -1;
}

char *cell_filters_remark(const CellFilters *prepared, guint number)
{
	const CellFilterType *type = filter_at(prepared->filters, number)->type;
	GString *remark = g_string_new(NULL);

	hot_assert(number < prepared->filters->len);
	if (type->remark)
		type->remark(prepared->states[number], remark);
	return g_string_free(remark, !remark->len);
}

bool cell_filters_pick_tasks(const GArray *filters)
{
	for (guint i = 0; i < filter_count(filters); i++) {
		const CellFilterType *type = filter_at(filters, i)->type;

		if (type != &cell_filter_cache && type != &cell_filter_cache_excluded &&
		    type != &cell_filter_unpaired && type != &cell_filter_slab_pages)
			return true;
	}
	return false;
}

bool scope_is_host(const char *scope)
{
	return !g_strcmp0(scope, "host") || !g_strcmp0(scope, "window");
}

bool scope_picks_tasks(const char *scope)
{
	return !g_strcmp0(scope, "pids") || !g_strcmp0(scope, "command");
}

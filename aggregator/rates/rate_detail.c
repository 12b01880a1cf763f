/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes the rows of the details of a cache: a view with a filter for that cache, grouped once by
 * process or cgroup and once by stack. All texts are copies, as it goes to the screen's thread.
 * drill.c makes it.
 */
#include "rates/rate_detail.h"

#include "base/escape.h"
#include "rates/rate_row.h"
#include "table/group_rows.h"
#include "table/stack_rows.h"

#include <string.h>

const Dimension *rate_detail_key(const char *name)
{
	static const char *const names[] = { "process", "cgroup" };

	for (size_t i = 0; i < G_N_ELEMENTS(names); i++)
		if (g_str_equal(names[i], name))
			return dimension_lookup(name);
	return NULL;
}

/* The filter for cells of the cache. */

typedef struct {
	const char *name;
	const ViewSource *source;
	const char *known; /* name pointer of this cache; NULL: not found yet */
} OneCache;

static void *prepare_one(const void *argument, const ViewSource *source)
{
	OneCache *one = g_new0(OneCache, 1);

	one->name = argument;
	one->source = source;
	return one;
}

static bool is_of_one(void *state, const ProfileCell *cell)
{
	OneCache *one = state;
	const ProfileOrigin *origin = profile_origin(one->source->profile, cell->origin);
	const char *name = cache_names_of(one->source->caches, origin).name;

	if (!name || one->known)
		return name && name == one->known;
	if (!strcmp(name, one->name))
		one->known = name;
	return one->known != NULL;
}

static const CellFilterType one_cache = {
	.option = "cache",
	.prepare = prepare_one,
	.keeps = is_of_one,
	.dispose = g_free,
};

/* The rows. */

static void row_clear(void *data)
{
	RateDetailRow *row = data;

	g_free(row->label);
	frame_list_unref(row->frames);
}

static GArray *rows_empty(void)
{
	GArray *rows = g_array_new(FALSE, FALSE, sizeof(RateDetailRow));

	g_array_set_clear_func(rows, row_clear);
	return rows;
}

/* All stacks of a cache may begin with the same function, so a label includes its callers. */
static GArray *rows_of(const View *view, const ViewOptions *options)
{
	g_autoptr(GroupRows) groups = group_rows_new(view, options, false);
	const bool are_stacks = options->by[0]->member == MEMBER_STACK;
	GArray *rows = rows_empty();

	for (guint i = 0; i < groups->rows->len; i++) {
		const GroupRow *group = &g_array_index(groups->rows, GroupRow, i);
		GString *label = g_string_new(NULL);
		RateDetailRow row = { .sums = group->sums };

		if (are_stacks) {
			row.frames = stack_rows_list(view_stack_rows(view),
						     group_rows_member(groups, group, 0));
			stack_chain_append(label, row.frames);
		} else {
			group_rows_append_label(groups, group, 0, label);
		}
		row.label = g_string_free(label, FALSE);
		g_array_append_val(rows, row);
	}
	return rows;
}

static void read_view(RateDetail *detail, const ViewSource *source,
		      const RateDetailRequest *request)
{
	g_autoptr(GPtrArray) no_filters = g_ptr_array_new();
	const CellFilter cache = { &one_cache, request->cache, request->cache };
	g_autoptr(GArray) cells = g_array_new(FALSE, FALSE, sizeof(CellFilter));
	const ViewOptions by_group = {
		.filters = no_filters,
		.cells = cells,
		.sort = rate_sort_default,
		.top = UINT64_MAX,
		.by = { request->key },
	};
	ViewOptions by_stack = by_group;
	g_autoptr(View) view = NULL;

	g_array_append_val(cells, cache);
	if (request->cells)
		g_array_append_vals(cells, request->cells->data, request->cells->len);
	view = view_new(source, &by_group);
	by_stack.by[0] = dimension_lookup("stack");
	by_stack.top = RATE_DETAIL_STACKS_MAX;
	detail->groups = rows_of(view, &by_group);
	detail->stacks = rows_of(view, &by_stack);
	detail->sums = view->before;
}

RateDetail *rate_detail_new(const ViewSource *source, const RateDetailRequest *request)
{
	RateDetail *detail = g_new0(RateDetail, 1);

	detail->cache = g_strdup(request->cache);
	detail->seconds = request->seconds;
	detail->events_lost = request->events_lost;
	detail->walks_different = request->walks_different;
	detail->names_different = request->names_different;
	detail->estimated = request->estimated;
	read_view(detail, source, request);
	return detail;
}

RateDetail *rate_detail_empty(const char *cache, const char *problem)
{
	RateDetail *detail = g_new0(RateDetail, 1);
	GString *escaped = g_string_new(NULL);

	escape_append(escaped, problem ? problem : "");
	detail->problem = g_string_free(escaped, !problem);
	detail->cache = g_strdup(cache);
	detail->seconds = -1;
	detail->groups = rows_empty();
	detail->stacks = rows_empty();
	return detail;
}

void rate_detail_free(RateDetail *detail)
{
	if (!detail)
		return;
	g_free(detail->cache);
	g_array_unref(detail->groups);
	g_array_unref(detail->stacks);
	g_free(detail->problem);
	g_free(detail);
}

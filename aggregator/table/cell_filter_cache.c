/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cell filters by slab cache: those asked for, and those excluded. Verdicts are kept by name, so a
 * name is matched once.
 */
#include "table/cell_filter.h"

#include "base/unconst.h"

typedef struct {
	const CacheQuery *query;
	const ViewSource *source;
	GHashTable *verdicts; /* by name pointer, as GINT_TO_POINTER(bool) */
	uint64_t unknown;     /* allocations from unknown caches */
} State;

static void *cell_filter_cache_prepare(const void *argument, const ViewSource *source)
{
	State *state = g_new0(State, 1);

	state->query = argument;
	state->source = source;
	state->verdicts = g_hash_table_new(NULL, NULL);
	return state;
}

/* There are millions of cells, but few names: each name is matched once. */
static bool cell_filter_cache_wants(State *state, const char *name)
{
	void *verdict;

	if (g_hash_table_lookup_extended(state->verdicts, name, NULL, &verdict))
		return GPOINTER_TO_INT(verdict);
	verdict = GINT_TO_POINTER(cache_query_wants(state->query, name));
	g_hash_table_insert(state->verdicts, unconst(name), verdict);
	return GPOINTER_TO_INT(verdict);
}

static bool cell_filter_cache_keeps(void *data, const ProfileCell *cell)
{
	State *state = data;
	const ProfileOrigin *origin = profile_origin(state->source->profile, cell->origin);
	CacheLabel label = cache_names_of(state->source->caches, origin);

	if (label.origin == CACHE_UNKNOWN && !origin->free)
		state->unknown += cell->events;
	return label.name && cell_filter_cache_wants(state, label.name);
}

static void cell_filter_cache_remark(const void *data, GString *out)
{
	const State *state = data;

	if (state->unknown)
		g_string_append_printf(out, "the cache of %" G_GUINT64_FORMAT " is not known",
				       state->unknown);
}

static bool keeps_others(void *data, const ProfileCell *cell)
{
	return !cell_filter_cache_keeps(data, cell);
}

static void cell_filter_cache_dispose(void *data)
{
	State *state = data;

	g_hash_table_unref(state->verdicts);
	g_free(state);
}

const CellFilterType cell_filter_cache = {
	.option = "cache",
	.prepare = cell_filter_cache_prepare,
	.keeps = cell_filter_cache_keeps,
	.remark = cell_filter_cache_remark,
	.dispose = cell_filter_cache_dispose,
};

const CellFilterType cell_filter_cache_excluded = {
	.option = "exclude-cache",
	.prepare = cell_filter_cache_prepare,
	.keeps = keeps_others,
	.dispose = cell_filter_cache_dispose,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/cell_filter_cache.h"

typedef struct {
	const CacheQuery *query;
	const ViewSource *source;
	GHashTable *verdicts; /* of names, by their pointers, as GINT_TO_POINTER(bool) */
} State;

static void *prepare(const void *argument, const ViewSource *source)
{
	State *state = g_new0(State, 1);

	state->query = argument;
	state->source = source;
	state->verdicts = g_hash_table_new(NULL, NULL);
	return state;
}

/* There are millions of counters, but few names: a glob is asked once for each. */
static bool wants(State *state, const char *name)
{
	void *verdict;

	if (g_hash_table_lookup_extended(state->verdicts, name, NULL, &verdict))
		return GPOINTER_TO_INT(verdict);
	verdict = GINT_TO_POINTER(cache_query_wants(state->query, name));
	g_hash_table_insert(state->verdicts, (void *)name, verdict);
	return GPOINTER_TO_INT(verdict);
}

static bool keeps(const void *data, const ProfileCell *cell)
{
	State *state = (State *)data;
	const ViewSource *source = state->source;
	const char *name =
		cache_names_of(source->caches, profile_origin(source->profile, cell->origin)).name;

	return name && wants(state, name);
}

static void dispose(void *data)
{
	State *state = data;

	g_hash_table_unref(state->verdicts);
	g_free(state);
}

const CellFilterType cell_filter_cache = {
	.option = "cache",
	.prepare = prepare,
	.keeps = keeps,
	.dispose = dispose,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cell filter that drops caches whose frees are mostly not seen: adds up how the objects of each
 * cache ended, from the lives that pairing counted. The remark names them. Used with --held.
 */
#include "table/cell_filter.h"

#include "base/number_text.h"
#include "base/unconst.h"

#include <string.h>

enum {
	UNPAIRED_PERCENT = 1, /* of the objects that ended: above this, a cache is left out ... */
	UNPAIRED_MIN = 4,     /* ... unless these are too few to know */
};

/* How the objects of a cache ended. */
typedef struct {
	const char *label; /* borrowed */
	uint64_t freed;
	uint64_t recycled;
	bool is_left_out; /* the filter dropped a cell of the cache */
} Ends;

typedef struct {
	const ViewSource *source;
	GHashTable *ends; /* (value-type Ends), by label pointer */
} State;

static Ends *ends_of(State *state, const ProfileCell *cell)
{
	const ProfileOrigin *origin = profile_origin(state->source->profile, cell->origin);
	const char *label = cache_names_of(state->source->caches, origin).label;
	Ends *ends = g_hash_table_lookup(state->ends, label);

	if (ends)
		return ends;
	ends = g_new0(Ends, 1);
	ends->label = label;
	g_hash_table_insert(state->ends, unconst(label), ends);
	return ends;
}

static void *cell_filter_unpaired_prepare(const void *argument, const ViewSource *source)
{
	const CellLives *lives = source->held_cells ? held_cells_lives(source->held_cells) : NULL;
	State *state = g_new0(State, 1);

	(void)argument;
	state->source = source;
	state->ends = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	for (uint32_t i = 0; lives && i < cell_lives_count(lives); i++) {
		const CellLife *life = cell_lives_life(lives, i);
		Ends *ends;

		if (life->own)
			continue;
		ends = ends_of(state, profile_cell(source->profile, i));
		saturate_add(&ends->freed, life->freed);
		saturate_add(&ends->recycled, life->recycled);
	}
	return state;
}

static bool cell_filter_unpaired_keeps(void *data, const ProfileCell *cell)
{
	Ends *ends = ends_of(data, cell);

	ends->is_left_out |= ends->recycled >= UNPAIRED_MIN &&
			     (double)ends->recycled * 100 >
				     (double)(ends->freed + ends->recycled) * UNPAIRED_PERCENT;
	return !ends->is_left_out;
}

static gint by_label(gconstpointer a, gconstpointer b)
{
	const Ends *of_a = *(Ends *const *)a, *of_b = *(Ends *const *)b;

	return strcmp(of_a->label, of_b->label);
}

/* Appends "maple_node (98 % of its frees not seen), filp (2 % ...)". */
static void cell_filter_unpaired_remark(const void *data, GString *out)
{
	const State *state = data;
	g_autoptr(GPtrArray) unpaired = g_ptr_array_new();
	GHashTableIter iter;
	void *ends;

	g_hash_table_iter_init(&iter, state->ends);
	while (g_hash_table_iter_next(&iter, NULL, &ends))
		if (((const Ends *)ends)->is_left_out)
			g_ptr_array_add(unpaired, ends);
	g_ptr_array_sort(unpaired, by_label);
	for (guint i = 0; i < unpaired->len; i++) {
		const Ends *one = unpaired->pdata[i];

		g_string_append_printf(out, "%s%s (", out->len ? ", " : "", one->label);
		append_percent(out, one->recycled, one->freed + one->recycled);
		g_string_append(out, " of its frees not seen)");
	}
}

static void cell_filter_unpaired_dispose(void *data)
{
	State *state = data;

	g_hash_table_unref(state->ends);
	g_free(state);
}

const CellFilterType cell_filter_unpaired = {
	.option = "held",
	.prepare = cell_filter_unpaired_prepare,
	.keeps = cell_filter_unpaired_keeps,
	.remark = cell_filter_unpaired_remark,
	.dispose = cell_filter_unpaired_dispose,
};

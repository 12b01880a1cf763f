/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cell filters by slab cache: those asked for, and those excluded. With --held also: caches whose
 * frees are mostly not seen, by how the objects of each cache ended; and pages that the slab
 * allocator took, as their objects are counted already.
 */
#include "table/cell_filter.h"

#include "base/number_text.h"
#include "base/unconst.h"
#include "symbols/frame_line.h"

#include <string.h>

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

static bool cell_filter_cache_keeps(void *data, const ProfileCell *cell)
{
	State *state = data;
	const ProfileOrigin *origin = profile_origin(state->source->profile, cell->origin);
	CacheLabel label = cache_names_of(state->source->caches, origin);
	void *verdict;

	if (label.origin == CACHE_UNKNOWN && !origin->free)
		state->unknown += cell->events;
	if (!label.name)
		return false;
	/* There are millions of cells, but few names: each name is matched once. */
	if (!g_hash_table_lookup_extended(state->verdicts, label.name, NULL, &verdict)) {
		verdict = GINT_TO_POINTER(cache_query_wants(state->query, label.name));
		g_hash_table_insert(state->verdicts, unconst(label.name), verdict);
	}
	return GPOINTER_TO_INT(verdict);
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
} UnpairedState;

static Ends *ends_of(UnpairedState *state, const ProfileCell *cell)
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
	UnpairedState *state = g_new0(UnpairedState, 1);

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
	const UnpairedState *state = data;
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
	UnpairedState *state = data;

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

/* The slab_functions that take pages for slabs, and for large kmallocs, of all kernels. */
static const char *const slab_functions[] = {
	"allocate_slab",          "new_slab",
	"___slab_alloc",          "cache_grow_begin", /* SLAB, until 6.7 */
	"kmem_getpages",          "___kmalloc_large_node",
	"__kmalloc_large_node",   "__kmalloc_large_node_noprof",
	"__kmalloc_large_noprof", "kmalloc_large_node",
	"kmalloc_large",          "kmalloc_order", /* until 5.19 */
	"kmalloc_order_trace",
};

/* A page allocation has few frames between the tracepoint and these slab_functions: deeper ones are
   of reclaim, or of something else that needs pages itself. */
enum { FRAMES = 12 };

typedef struct {
	uint64_t start;
	uint64_t end; /* exclusive */
} Range;

typedef struct {
	const Profile *profile;
	bool is_needed; /* slab objects are counted, too */
	unsigned count;
	Range ranges[G_N_ELEMENTS(slab_functions)];
} PagesState;

static bool has_objects_of_slabs(const Profile *profile)
{
	for (OriginId id = ORIGIN_ID_OVERFLOW + 1; id < profile_origin_count(profile); id++) {
		const ProfileOrigin *origin = profile_origin(profile, id);

		if (!origin->free && !origin->own &&
		    (origin->source == KMT_SOURCE_KMALLOC || origin->source == KMT_SOURCE_CACHE))
			return true;
	}
	return false;
}

static void *cell_filter_slab_pages_prepare(const void *argument, const ViewSource *source)
{
	PagesState *state = g_new0(PagesState, 1);

	(void)argument;
	state->profile = source->profile;
	state->is_needed = has_objects_of_slabs(source->profile);
	/* Tables of rates have no stacks, and no symbols. */
	for (size_t i = 0; state->is_needed && source->symbols && i < G_N_ELEMENTS(slab_functions);
	     i++) {
		uint64_t address = symbol_store_address(source->symbols, slab_functions[i]);
		Symbol symbol;

		/* The symbols of the kernel itself are those of all epochs. */
		if (address && symbol_store_lookup(source->symbols, 0, address, &symbol) &&
		    symbol.bytes)
			state->ranges[state->count++] =
				(Range){ symbol.start, symbol.start + symbol.bytes };
	}
	return state;
}

/* Frames after the first are return addresses. */
static bool have_function(const PagesState *state, StackId stack)
{
	uint64_t frames[KMT_STACK_DEPTH_MAX];
	uint32_t depth = profile_stack_frames(state->profile, stack, frames);

	for (uint32_t i = 0; i < MIN(depth, FRAMES); i++)
		for (unsigned j = 0; j < state->count; j++)
			if (frames[i] - 1 >= state->ranges[j].start &&
			    frames[i] - 1 < state->ranges[j].end)
				return true;
	return false;
}

static bool text_has_function(const PagesState *state, StackId stack)
{
	uint32_t length;
	const char *text = stack_table_bytes(profile_stacks(state->profile), stack, &length);
	TextPart rest = { text, length }, line;

	for (unsigned i = 0; i < FRAMES && text_part_next_line(&rest, &line); i++) {
		TextPart name = frame_line_parse(line).function;

		for (size_t j = 0; j < G_N_ELEMENTS(slab_functions); j++)
			if (text_part_is(name, slab_functions[j]))
				return true;
	}
	return false;
}

static bool cell_filter_slab_pages_keeps(void *data, const ProfileCell *cell)
{
	const PagesState *state = data;
	const ProfileOrigin *origin = profile_origin(state->profile, cell->origin);

	if (!state->is_needed || origin->source != KMT_SOURCE_PAGE ||
	    origin->stack == STACK_ID_NONE)
		return true;
	return profile_stack_kind(state->profile) == STACK_TEXT
		       ? !text_has_function(state, origin->stack)
		       : !have_function(state, origin->stack);
}

const CellFilterType cell_filter_slab_pages = {
	.option = "pages-of-slabs",
	.prepare = cell_filter_slab_pages_prepare,
	.keeps = cell_filter_slab_pages_keeps,
	.dispose = g_free,
};

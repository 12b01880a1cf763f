/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cell filter that drops pages which the slab allocator took: their objects are counted already.
 * Finds the ranges of a const table of functions in the kernel's symbols, and looks for them in the
 * first frames. Used with --held.
 */
#include "table/cell_filter.h"

#include "symbols/frame_line.h"

/* The functions that take pages for slabs, and for large kmallocs, of all kernels. */
static const char *const functions[] = {
	"allocate_slab",          "new_slab",
	"___slab_alloc",          "cache_grow_begin", /* SLAB, until 6.7 */
	"kmem_getpages",          "___kmalloc_large_node",
	"__kmalloc_large_node",   "__kmalloc_large_node_noprof",
	"__kmalloc_large_noprof", "kmalloc_large_node",
	"kmalloc_large",          "kmalloc_order", /* until 5.19 */
	"kmalloc_order_trace",
};

/* A page allocation has few frames between the tracepoint and these functions: deeper ones are
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
	Range ranges[G_N_ELEMENTS(functions)];
} State;

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
	State *state = g_new0(State, 1);

	(void)argument;
	state->profile = source->profile;
	state->is_needed = has_objects_of_slabs(source->profile);
	/* Tables of rates have no stacks, and no symbols. */
	for (size_t i = 0; state->is_needed && source->symbols && i < G_N_ELEMENTS(functions);
	     i++) {
		uint64_t address = symbol_store_address(source->symbols, functions[i]);
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
static bool have_function(const State *state, StackId stack)
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

static bool text_has_function(const State *state, StackId stack)
{
	uint32_t length;
	const char *text = stack_table_bytes(profile_stacks(state->profile), stack, &length);
	TextPart rest = { text, length }, line;

	for (unsigned i = 0; i < FRAMES && text_part_next_line(&rest, &line); i++) {
		TextPart name = frame_line_parse(line).function;

		for (size_t j = 0; j < G_N_ELEMENTS(functions); j++)
			if (text_part_is(name, functions[j]))
				return true;
	}
	return false;
}

static bool cell_filter_slab_pages_keeps(void *data, const ProfileCell *cell)
{
	const State *state = data;
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

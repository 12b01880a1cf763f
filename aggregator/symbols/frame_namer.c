/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cache from (address, epoch) to frames: ids in the frame table. A miss looks the symbol up, adds
 * the functions that were inlined there, and says whether it is a tracer's or junk. stack_rows.c
 * calls it for each distinct stack, once.
 */
#include "symbols/frame_namer.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "symbols/known_functions.h"

#include <string.h>

enum { FIRST_SLOTS = 1024 };

/* Whether the symbol is code of a tracer, which is above the traced function on a stack. */
static bool is_tracer(const Symbol *symbol)
{
	return (symbol->module &&
		tracer_modules_have((TextPart){ symbol->module, strlen(symbol->module) })) ||
	       (symbol->name &&
		tracer_functions_have((TextPart){ symbol->name, strlen(symbol->name) }));
}

/* The frames of an address in an epoch. */
typedef struct {
	uint64_t address;
	uint32_t epoch;
	uint32_t frames_from; /* start in the ids of all addresses */
	uint8_t frames_count; /* innermost first; never 0 */
	bool returned_to;     /* looked up at address - 1 */
	bool junk;            /* outside the recorded text */
	bool tracer;
} NamedAddress;

FrameNamer *frame_namer_new(const SymbolStore *store, FrameTable *frames)
{
	FrameNamer *namer = g_new0(FrameNamer, 1);

	namer->store = store;
	namer->frames = frames;
	slot_table_init(&namer->slots, FIRST_SLOTS);
	namer->addresses = g_array_new(FALSE, FALSE, sizeof(NamedAddress));
	namer->ids = g_array_new(FALSE, FALSE, sizeof(FrameId));
	return namer;
}

void frame_namer_set_lines(FrameNamer *namer, const CodeObjects *code, const LineTable *lines)
{
	namer->code = code;
	namer->lines = lines;
}

void frame_namer_free(FrameNamer *namer)
{
	if (!namer)
		return;
	slot_table_clear(&namer->slots);
	g_array_unref(namer->addresses);
	g_array_unref(namer->ids);
	g_free(namer);
}

size_t frame_namer_memory(const FrameNamer *namer)
{
	return slot_table_memory(&namer->slots) + namer->addresses->len * sizeof(NamedAddress) +
	       namer->ids->len * sizeof(FrameId);
}

/* The symbol of an address on a stack. */
typedef struct {
	Symbol symbol; /* only when found */
	bool found;
	bool junk; /* outside the recorded text */
} KnownAddress;

/* Looks up return addresses one byte earlier: a call may be the last instruction of its
   function. */
static KnownAddress address_lookup(const SymbolStore *store, uint32_t epoch, uint64_t address,
				   bool returned_to)
{
	uint64_t looked_up = address - returned_to;
	/* A module may be used before its epoch is announced: that happens once or twice a
	   second. */
	bool early = !symbol_store_is_text(store, epoch, looked_up);
	uint32_t looked_in = epoch + early;
	KnownAddress known = { .found = false };

	known.found = symbol_store_lookup(store, looked_in, looked_up, &known.symbol);
	known.junk = early && !symbol_store_is_text(store, looked_in, looked_up);
	return known;
}

static FramePlace place_of_symbol(FrameTable *frames, const Symbol *symbol)
{
	return (FramePlace){
		.function = symbol->name ? frame_table_printable(frames, symbol->name) : NULL,
		.module = symbol->module ? frame_table_printable(frames, symbol->module) : "kernel",
		.start = symbol->start,
		.bytes = symbol->bytes,
	};
}

static bool is_of_object(const Symbol *symbol, const CodeObject *object)
{
	return object->kind == CODE_OF_KERNEL ? !symbol->module
					      : !g_strcmp0(symbol->module, object->name);
}

/* Returns the functions at the address of a symbol, with their lines; NULL: unknown. The lengths of
   sections are not recorded, so an address may lie outside the module that precedes it. */
static const LineFrame *find_lines(const FrameNamer *namer, uint64_t looked_up, uint32_t epoch,
				   const Symbol *symbol, size_t *count)
{
	const CodeObject *object;
	uint64_t offset;

	*count = 0;
	if (!namer->code)
		return NULL;
	object = code_objects_find(namer->code, epoch, looked_up, &offset);
	return object && object->key && is_of_object(symbol, object)
		       ? line_table_find(namer->lines, object->key, offset, count)
		       : NULL;
}

static void add_frame(FrameNamer *namer, uint64_t address, const FramePlace *place)
{
	FrameId id = frame_table_intern(namer->frames, address, place);

	g_array_append_val(namer->ids, id);
}

/* Adds the functions that were inlined at an address, all but the last one. */
static void add_inlined(FrameNamer *namer, uint64_t address, const char *module,
			const LineFrame *lines, size_t count)
{
	for (size_t i = 0; i + 1 < count; i++)
		add_frame(namer, address,
			  &(FramePlace){
				  .function = lines[i].function ? lines[i].function : "??",
				  .module = module,
				  .line = &lines[i],
			  });
}

/* Looks an address up and adds its frames. */
static NamedAddress address_resolve(FrameNamer *namer, uint64_t address, uint32_t epoch,
				    bool returned_to)
{
	KnownAddress known = address_lookup(namer->store, epoch, address, returned_to);
	FramePlace place = { .module = NULL };
	uint32_t frames_from = namer->ids->len;
	const LineFrame *lines = NULL;
	size_t count = 0;

	if (known.found) {
		place = place_of_symbol(namer->frames, &known.symbol);
		lines = find_lines(namer, address - returned_to, epoch, &known.symbol, &count);
	}
	if (count) {
		add_inlined(namer, address, place.module, lines, count);
		place.line = &lines[count - 1];
	}
	add_frame(namer, address, &place);
	return (NamedAddress){
		.address = address,
		.epoch = epoch,
		.frames_from = frames_from,
		.frames_count = (uint8_t)(namer->ids->len - frames_from),
		.returned_to = returned_to,
		.junk = known.junk,
		.tracer = known.found && is_tracer(&known.symbol),
	};
}

/* Returns the frames of an address; borrowed until the next call. */
static const NamedAddress *address_intern(FrameNamer *namer, uint64_t address, uint32_t epoch,
					  bool returned_to)
{
	const uint64_t key[] = { address, (uint64_t)epoch << 1 | returned_to };
	uint32_t hash = (uint32_t)keyed_hash(key, sizeof(key));
	uint32_t at, id;
	NamedAddress named;

	for (at = hash; (id = slot_table_candidate(&namer->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		const NamedAddress *known = &g_array_index(namer->addresses, NamedAddress, id);

		hot_assert(id < namer->addresses->len);
		if (known->address == address && known->epoch == epoch &&
		    known->returned_to == returned_to)
			return known;
	}
	named = address_resolve(namer, address, epoch, returned_to);
	id = namer->addresses->len;
	g_array_append_val(namer->addresses, named);
	slot_table_put(&namer->slots, hash, at, id);
	return &g_array_index(namer->addresses, NamedAddress, id);
}

static const FrameId *frames_of(const FrameNamer *namer, const NamedAddress *named)
{
	hot_assert(named->frames_from + named->frames_count <= namer->ids->len);
	return &g_array_index(namer->ids, FrameId, named->frames_from);
}

/* What to remove from a stack, in the order of attempts. */
typedef enum { CUT_TRACERS_AND_JUNK, CUT_JUNK, CUT_NOTHING } Cut;

static void append_cut(FrameNamer *namer, GArray *ids, const uint64_t *addresses, uint32_t depth,
		       uint32_t epoch, Cut cut)
{
	bool leading = cut == CUT_TRACERS_AND_JUNK;

	for (uint32_t i = 0; i < depth; i++) {
		const NamedAddress *named = address_intern(namer, addresses[i], epoch, i > 0);

		if (named->junk && cut != CUT_NOTHING)
			continue;
		leading = leading && named->tracer;
		if (!leading)
			g_array_append_vals(ids, frames_of(namer, named), named->frames_count);
	}
}

void frame_namer_append(FrameNamer *namer, GArray *ids, const uint64_t *addresses, uint32_t depth,
			uint32_t epoch)
{
	guint before = ids->len;

	for (Cut cut = CUT_TRACERS_AND_JUNK; ids->len == before && cut <= CUT_NOTHING; cut++)
		append_cut(namer, ids, addresses, depth, epoch, cut);
}

const FrameId *frame_namer_call_site(FrameNamer *namer, uint64_t address, uint32_t epoch,
				     uint32_t *count)
{
	const NamedAddress *named = address_intern(namer, address, epoch, true);

	*count = named->frames_count;
	return frames_of(namer, named);
}

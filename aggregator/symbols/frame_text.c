/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "symbols/frame_text.h"

#include "count/slot_table.h"
#include "escape.h"
#include "keyed_hash.h"
#include "symbols/frame_symbol.h"
#include "symbols/tracer_frames.h"

enum { FIRST_SLOTS = 1024 };

/* What is known of one address in one epoch. */
typedef struct {
	uint64_t address;
	uint32_t epoch;
	LineId line;
	bool returned_to; /* looked up at address - 1 */
	bool junk;        /* outside the recorded text */
	bool tracer;
} Frame;

struct FrameText {
	const SymbolStore *store;
	LineTable *lines;
	SlotTable slots;
	GArray *frames; /* (element-type Frame), owned: the cache */
	GString *line;  /* the one being written */
};

FrameText *frame_text_new(const SymbolStore *store, LineTable *lines)
{
	FrameText *text = g_new0(FrameText, 1);

	text->store = store;
	text->lines = lines;
	slot_table_init(&text->slots, FIRST_SLOTS);
	text->frames = g_array_new(FALSE, FALSE, sizeof(Frame));
	text->line = g_string_new(NULL);
	return text;
}

void frame_text_free(FrameText *text)
{
	if (!text)
		return;
	slot_table_clear(&text->slots);
	g_array_unref(text->frames);
	g_string_free(text->line, TRUE);
	g_free(text);
}

size_t frame_text_memory(const FrameText *text)
{
	return slot_table_memory(&text->slots) + text->frames->len * sizeof(Frame);
}

uint64_t frame_text_probes(const FrameText *text)
{
	return slot_table_probes(&text->slots);
}

/* Writes " : name+0xoff/0xsize [module]", or " [module+0xoff/0xsize]" where no name is known. */
static void append_symbol(GString *line, const Symbol *symbol, uint64_t address)
{
	uint64_t offset = address - symbol->start;

	g_string_append(line, symbol->name ? " : " : " [");
	escape_append(line, symbol->name ? symbol->name : symbol->module);
	g_string_append_printf(line, "+0x%" G_GINT64_MODIFIER "x/0x%" G_GINT64_MODIFIER "x", offset,
			       symbol->bytes);
	if (symbol->name) {
		g_string_append(line, " [");
		escape_append(line, symbol->module ? symbol->module : "kernel");
	}
	g_string_append_c(line, ']');
}

static LineId line_of(FrameText *text, const Symbol *symbol, uint64_t address)
{
	int digits = 2 * (int)symbol_store_word_bytes(text->store);

	g_string_printf(text->line, " 0x%0*" G_GINT64_MODIFIER "x", digits, address);
	if (symbol)
		append_symbol(text->line, symbol, address);
	g_string_append_c(text->line, '\n');
	return line_table_intern(text->lines, text->line->str, text->line->len);
}

static Frame frame_resolve(FrameText *text, uint64_t address, uint32_t epoch, bool returned_to)
{
	FrameSymbol known = frame_symbol_lookup(text->store, epoch, address, returned_to);

	return (Frame){
		.address = address,
		.epoch = epoch,
		.returned_to = returned_to,
		.line = line_of(text, known.found ? &known.symbol : NULL, address),
		.junk = known.junk,
		.tracer = known.found && symbol_is_tracer(&known.symbol),
	};
}

static uint32_t frame_hash(uint64_t address, uint32_t epoch, bool returned_to)
{
	const uint64_t key[] = { address, (uint64_t)epoch << 1 | returned_to };

	return (uint32_t)keyed_hash(key, sizeof(key));
}

/* Returns what is known of an address; borrowed until the next call. */
static const Frame *frame_intern(FrameText *text, uint64_t address, uint32_t epoch,
				 bool returned_to)
{
	uint32_t hash = frame_hash(address, epoch, returned_to);
	uint32_t at, id;
	Frame frame;

	for (at = hash; (id = slot_table_candidate(&text->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		const Frame *known = &g_array_index(text->frames, Frame, id);

		if (known->address == address && known->epoch == epoch &&
		    known->returned_to == returned_to)
			return known;
	}
	frame = frame_resolve(text, address, epoch, returned_to);
	id = text->frames->len;
	g_array_append_val(text->frames, frame);
	slot_table_put(&text->slots, hash, at, id);
	return &g_array_index(text->frames, Frame, id);
}

/* What is left out of a stack, in the order in which it is tried. */
typedef enum { CUT_TRACERS_AND_JUNK, CUT_JUNK, CUT_NOTHING } Cut;

static void append_cut(FrameText *text, GArray *lines, const uint64_t *frames, uint32_t depth,
		       uint32_t epoch, Cut cut)
{
	bool leading = cut == CUT_TRACERS_AND_JUNK;

	for (uint32_t i = 0; i < depth; i++) {
		const Frame *frame = frame_intern(text, frames[i], epoch, i > 0);

		if (frame->junk && cut != CUT_NOTHING)
			continue;
		leading = leading && frame->tracer;
		if (!leading)
			g_array_append_val(lines, frame->line);
	}
}

void frame_text_append(FrameText *text, GArray *lines, const uint64_t *frames, uint32_t depth,
		       uint32_t epoch)
{
	guint before = lines->len;

	for (Cut cut = CUT_TRACERS_AND_JUNK; lines->len == before && cut <= CUT_NOTHING; cut++)
		append_cut(text, lines, frames, depth, epoch, cut);
}

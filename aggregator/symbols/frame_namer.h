/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/slot_table.h"
#include "symbols/code_objects.h"
#include "symbols/frame_table.h"
#include "symbols/line_table.h"
#include "symbols/symbol_store.h"

#include <glib.h>
#include <stdint.h>

/*
 * FrameNamer converts the addresses of stacks to frames. It looks up each address once per epoch.
 *
 * It removes tracer frames at the top of the stack, and junk outside the recorded text, so that the
 * first frame is the allocator. It never removes all frames of a stack.
 */
typedef struct {
	/* Private. */
	const SymbolStore *store;
	FrameTable *frames;
	const CodeObjects *code; /* NULL: frames have no lines */
	const LineTable *lines;
	SlotTable slots;   /* of the addresses; untrusted, so a test looks how well they spread */
	GArray *addresses; /* (element-type NamedAddress), owned: the cache */
	GArray *ids;       /* (element-type FrameId), owned: the frames of all addresses */
} FrameNamer;

/* Store and frames are borrowed. The frames borrow strings of the store, so no text may be added to
   the store. Free the result with frame_namer_free(). */
FrameNamer *frame_namer_new(const SymbolStore *store, FrameTable *frames);

/* Lets frames have source lines, and frames of functions that were inlined. Both are borrowed, and
   nothing may be added to them. Call this before any frame is named. */
void frame_namer_set_lines(FrameNamer *namer, const CodeObjects *code, const LineTable *lines);
void frame_namer_free(FrameNamer *namer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameNamer, frame_namer_free)

/* Returns the memory in use, in bytes, without that of the frame table. */
size_t frame_namer_memory(const FrameNamer *namer);

/*
 * Appends the frames of a stack, innermost first, to an array (element-type FrameId). Addresses
 * after the first are return addresses: looked up at address - 1, but printed with their own
 * offset. epoch is the symbol epoch of the stack.
 */
void frame_namer_append(FrameNamer *namer, GArray *ids, const uint64_t *addresses, uint32_t depth,
			uint32_t epoch);

/* Returns the frames of a return address, in the symbol epoch of its stack: innermost first, with
   what was inlined there. Sets their number, which is at least 1. Valid until the next call. */
const FrameId *frame_namer_call_site(FrameNamer *namer, uint64_t address, uint32_t epoch,
				     uint32_t *count);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame_table.h"
#include "symbols/symbol_store.h"

#include <glib.h>
#include <stdint.h>

/*
 * FrameNamer turns the addresses of stacks into frames; each address is looked up once per epoch.
 *
 * Frames of tracers at the top of the stack and junk outside the recorded text are left out, so
 * the first frame is the allocator. What would leave no frame at all is not left out.
 */
typedef struct FrameNamer FrameNamer;

/* Store and frames are borrowed. The frames borrow strings of the store, to which no text may be
   added. Free the result with frame_namer_free(). */
FrameNamer *frame_namer_new(const SymbolStore *store, FrameTable *frames);
void frame_namer_free(FrameNamer *namer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameNamer, frame_namer_free)

/* Returns the memory in use, in bytes; that of the frames is not in it. */
size_t frame_namer_memory(const FrameNamer *namer);

/* Returns how many slots of the cache are looked at to find every address once. For tests. */
uint64_t frame_namer_probes(const FrameNamer *namer);

/*
 * Appends the frames of a stack, innermost first, to an array (element-type FrameId). Addresses
 * after the first are return addresses: looked up at address - 1, kept with their own offset.
 * epoch is the symbol epoch of the stack.
 */
void frame_namer_append(FrameNamer *namer, GArray *ids, const uint64_t *addresses, uint32_t depth,
			uint32_t epoch);

/* Returns the innermost frame that a return address lies in, in the symbol epoch of its stack. */
FrameId frame_namer_call_site(FrameNamer *namer, uint64_t address, uint32_t epoch);

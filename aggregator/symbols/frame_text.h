/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/line_table.h"
#include "symbols/symbol_store.h"

#include <glib.h>
#include <stdint.h>

/*
 * FrameText turns the addresses of a stack into the lines a report prints:
 *
 *      0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]
 *
 * Frames of tracers at the top of the stack and junk outside the recorded text are left out, so
 * the first line is the allocator. What would leave no line at all is not left out. Lines are
 * cached per address and epoch.
 */
typedef struct FrameText FrameText;

/* Store and lines are borrowed and must outlive the result, which frame_text_free() frees. */
FrameText *frame_text_new(const SymbolStore *store, LineTable *lines);
void frame_text_free(FrameText *text);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FrameText, frame_text_free)

/* Returns the memory in use, in bytes. */
size_t frame_text_memory(const FrameText *text);

/* Returns how many slots of the cache are looked at to find every address once. For tests. */
uint64_t frame_text_probes(const FrameText *text);

/*
 * Appends the lines of a stack, each ended by '\n', to an array (element-type LineId). Frames
 * after the first are return addresses: looked up at address - 1, printed with their own offset.
 * epoch is the symbol epoch of the stack.
 */
void frame_text_append(FrameText *text, GArray *lines, const uint64_t *frames, uint32_t depth,
		       uint32_t epoch);

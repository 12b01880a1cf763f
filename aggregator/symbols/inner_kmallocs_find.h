/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/inner_kmallocs.h"
#include "symbols/symbol_store.h"
#include "symbols/text_part.h"

/*
 * Finds where the call sites of inner events lie, for a kernel with these symbols and pages of so
 * many bytes. Kernels before 6.11 have no such place: then *inner has no ranges. Returns false,
 * leaving *inner alone, where the kernel's own symbols are not known (kptr_restrict).
 */
bool inner_kmallocs_find(InnerKmallocs *inner, const SymbolStore *symbols, uint64_t page_bytes);

/* Whether a large kmalloc whose call site is in this function is an inner event on every kernel.
   That of kvmalloc() needs the stack. */
bool inner_kmallocs_have_function(TextPart name);

/*
 * Whether a stack that came as text, lines as frame_line_parse() reads them, is that of an inner
 * event: its first function is __kmalloc_large_node_noprof(), the second one the allocator's.
 * Inlined functions are passed over.
 */
bool inner_kmallocs_have_text(const char *stack, size_t length);

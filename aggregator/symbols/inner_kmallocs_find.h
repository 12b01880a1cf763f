/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/inner_kmallocs.h"
#include "symbols/symbol_store.h"
#include "base/text_part.h"

/*
 * Finds where the call sites of inner events lie, for a kernel with these symbols and pages of so
 * many bytes. Kernels before 6.11 have no such place: then *inner has no ranges. Returns false,
 * leaving *inner alone, where the kernel's own symbols are not known (kptr_restrict).
 */
bool inner_kmallocs_find(InnerKmallocs *inner, const SymbolStore *symbols, uint64_t page_bytes);

/* Whether a large kmalloc whose call site is in this function is an inner event on every kernel.
   That of kvmalloc() needs the stack. */
bool inner_kmallocs_have_function(TextPart name);

/* Whether the stack of an inner event may begin with this function, which is
   __kmalloc_large_node_noprof(); and whether it goes on with that one, which is the allocator's.
   Inlined functions do not count. */
bool inner_kmallocs_begin_with(TextPart function);
bool inner_kmallocs_go_on_with(TextPart caller);

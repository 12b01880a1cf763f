/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "record/inner_kmallocs.h"
#include "symbols/symbol_store.h"

/*
 * Frames of tracers lie above the traced function on a stack: the functions with which tracepoints
 * call tracers and tracers take stacks. frame_namer.c cuts them from recorded stacks,
 * import/import.c from stacks in texts.
 */

/* Whether this function of the kernel, and whether all code of this module, belongs to a tracer. */
bool tracer_functions_have(TextPart function);
bool tracer_modules_have(TextPart module);

/*
 * Finds the ranges of the call sites of inner events, for a kernel with these symbols and this page
 * size. Before 6.11 *inner gets no ranges. Returns false, with *inner unchanged, if the kernel's
 * own symbols are unknown (kptr_restrict).
 */
bool inner_kmallocs_find(InnerKmallocs *inner, const SymbolStore *symbols, uint64_t page_bytes);

/* Whether a large kmalloc with its call site in this function is an inner event on every kernel,
   and whether it is one on some: in kvmalloc()'s function, the stack or the next event decides. */
bool inner_kmallocs_have_function(TextPart name);
bool inner_kmallocs_may_have_function(TextPart name);

/* Whether the stack of an inner event may begin with this function (__kmalloc_large_node_noprof()).
   Then a function follows for which inner_kmallocs_may_have_function() is true. Inlined functions
   do not count. */
bool inner_kmallocs_begin_with(TextPart function);

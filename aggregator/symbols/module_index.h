/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "base/text_part.h"
#include "symbols/symbol_list.h"

#include <glib.h>

/* A parsed line "NAME BYTES ADDRESS BUILD-ID" of a `modules` batch; the parts point into it. */
typedef struct {
	TextPart name;
	uint64_t bytes;    /* of all parts of the module, which need not follow its address */
	uint64_t address;  /* 0: hidden, or the kernel itself */
	TextPart build_id; /* untrusted; "-" or length 0: unknown */
} ModuleLine;

/* Returns false if the line has another format. */
bool module_line_parse(TextPart line, ModuleLine *parsed);

/*
 * ModuleIndex finds the symbols around an address among the symbols of many modules.
 *
 * It searches by the address intervals of the modules' symbols. Lists with overlapping intervals,
 * which no kernel has, are merged. A search reads at most two lists.
 */
typedef struct ModuleIndex ModuleIndex;

/* lists (element-type SymbolList) are borrowed and must not change any more. A merged list is a
   copy, with memory from the budget; if that is refused, only the first of the overlapping lists is
   searched. */
ModuleIndex *module_index_new(const GPtrArray *lists, MemoryBudget *memory);
void module_index_free(ModuleIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleIndex, module_index_free)

/* Updates the neighbours of address if a module has closer ones. Returns the number of lists
   searched. */
guint module_index_narrow(const ModuleIndex *index, uint64_t address, SymbolNeighbours *neighbours);

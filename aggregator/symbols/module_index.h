/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "symbols/symbol_list.h"

#include <glib.h>

/*
 * ModuleIndex finds the symbols around an address among those of many modules.
 *
 * Modules' symbols lie in intervals of their own, by which they are searched; the lists of modules
 * whose intervals overlap, which no kernel has, become one. A search looks at two lists at most.
 */
typedef struct ModuleIndex ModuleIndex;

/* lists (element-type SymbolList) are borrowed, and nothing may be added to them any more. What
   becomes one is a copy, whose memory is taken from the budget; where it is refused the first of
   the overlapping lists is searched alone. */
ModuleIndex *module_index_new(const GPtrArray *lists, MemoryBudget *memory);
void module_index_free(ModuleIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleIndex, module_index_free)

/* Moves the neighbours of address closer where a module has closer ones. Returns how many lists
   were searched. */
guint module_index_narrow(const ModuleIndex *index, uint64_t address, SymbolNeighbours *neighbours);

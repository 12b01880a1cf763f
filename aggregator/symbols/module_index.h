/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/symbol_list.h"

#include <glib.h>

/*
 * ModuleIndex finds the symbols around an address among those of many modules.
 *
 * Modules' symbols lie in intervals of their own, by which they are searched; the lists of modules
 * whose intervals overlap, which no kernel has, become one. A search looks at two lists at most.
 */
typedef struct ModuleIndex ModuleIndex;

/* lists (element-type SymbolList) are borrowed, and nothing may be added to them any more. */
ModuleIndex *module_index_new(const GPtrArray *lists);
void module_index_free(ModuleIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(ModuleIndex, module_index_free)

/* Moves the neighbours of address closer where a module has closer ones. Returns how many lists
   were searched. */
guint module_index_narrow(const ModuleIndex *index, uint64_t address, SymbolNeighbours *neighbours);

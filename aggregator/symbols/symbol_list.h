/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "base/text_part.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A parsed line "ADDRESS TYPE NAME[\t[MODULE]]"; the parts point into it. */
typedef struct {
	uint64_t address;
	char type;
	TextPart name;
	TextPart module; /* length 0: built in */
} KallsymsLine;

/* Returns false if the line has another format. */
bool kallsyms_line_parse(TextPart line, KallsymsLine *parsed);

/* Whether the symbol is code: global, local or weak text. */
bool kallsyms_line_is_text(const KallsymsLine *parsed);

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
 * SymbolList stores addresses and the offsets of their names, 16 bytes each.
 *
 * It is sorted at the first search after an addition. Of symbols with equal addresses one is kept:
 * native system call entries before those of other ABIs, then global symbols before others, then
 * the one that was added first.
 */
typedef struct {
	uint64_t address;
	uint32_t name;   /* offset of the name, grows with each addition */
	uint16_t module; /* number of the module, 0: built in */
	bool global;
	bool foreign; /* system call entry of another ABI */
} SymbolEntry;

typedef struct {
	GArray *entries; /* (element-type SymbolEntry), owned */
	bool ordered;
} SymbolList;

/* The symbols around an address: the last symbol that begins at or before it, and the start of the
   next one. Start from SYMBOL_NEIGHBOURS_NONE, then narrow with each list. */
typedef struct {
	const SymbolEntry *at; /* NULL: none */
	uint64_t next;         /* UINT64_MAX: none */
} SymbolNeighbours;

#define SYMBOL_NEIGHBOURS_NONE ((SymbolNeighbours){ NULL, UINT64_MAX })

/* Returns a new one; free it with symbol_list_free(). */
SymbolList *symbol_list_new(void);
void symbol_list_free(SymbolList *list);
void symbol_list_add(SymbolList *list, SymbolEntry entry);

/* Updates the neighbours of address if the list has closer ones. */
void symbol_list_narrow(SymbolList *list, uint64_t address, SymbolNeighbours *neighbours);

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

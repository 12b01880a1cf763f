/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "record/batch_reader.h"

#include <glib.h>
#include <stdint.h>

/*
 * SymbolStore knows the names of kernel addresses, per symbol epoch.
 *
 * Epoch 0 has the kernel's own symbols and those of the modules loaded at the start. A later
 * epoch replaces the modules' symbols only: the kernel's stay. An address is looked up in the
 * epoch of its stack, so an unloaded module keeps its name and a reused address is not mixed.
 */
typedef struct SymbolStore SymbolStore;

/* A named place in the kernel. The strings belong to the store and last until text is added. */
typedef struct {
	const char *name;   /* NULL: only the module is known, start and bytes are its own */
	const char *module; /* NULL: built in */
	uint64_t start;
	uint64_t bytes; /* to the next symbol; 0: not known */
} Symbol;

SymbolStore *symbol_store_new(void);
void symbol_store_free(SymbolStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SymbolStore, symbol_store_free)

/* The memory of what is added from here on is taken from that budget, which is borrowed; what is
   refused is left out. Without it nothing but numbers is bounded. */
void symbol_store_set_memory(SymbolStore *store, MemoryBudget *memory);

/*
 * Adds lines as /proc/kallsyms has them ("ADDRESS TYPE NAME[\t[MODULE]]") to an epoch. Only text
 * symbols are kept. Lines that are none are skipped. length need not end at a line end, but each
 * call must: lines are not joined across calls.
 */
void symbol_store_add_kallsyms(SymbolStore *store, uint32_t epoch, const char *text, size_t length);

/* Adds lines "NAME BYTES ADDRESS BUILD-ID" (hexadecimal address, "-" for no build id). */
void symbol_store_add_modules(SymbolStore *store, uint32_t epoch, const char *text, size_t length);

/* Takes over a batch of kind KMT_BATCH_SYMBOLS or KMT_BATCH_MODULES. Returns its epoch. */
uint32_t symbol_store_read_batch(SymbolStore *store, const Batch *batch);

/* The kernel's text; frames outside of it and of all modules are junk. 0, 0: not known, then it is
   taken from the symbols _stext and _etext. */
void symbol_store_set_text(SymbolStore *store, uint64_t start, uint64_t end);

/* Whether any symbol with an address is known. */
bool symbol_store_has_symbols(const SymbolStore *store);

/* Returns the address of a function of the kernel itself; 0: not known. Looks at all symbols. */
uint64_t symbol_store_address(const SymbolStore *store, const char *name);

/* Looks an address up. Returns false when nothing is known of it. */
bool symbol_store_lookup(const SymbolStore *store, uint32_t epoch, uint64_t address,
			 Symbol *symbol);

/* Whether the address lies in recorded text: the kernel's, a module's, or a symbol's. True where
   nothing is known of the kernel's text. */
bool symbol_store_is_text(const SymbolStore *store, uint32_t epoch, uint64_t address);

/* Returns how many lists of modules' symbols were searched so far. For tests. */
uint64_t symbol_store_searches(const SymbolStore *store);

/* The size of an address on the recorded host, 4 or 8; 8 until a batch says otherwise. */
unsigned symbol_store_word_bytes(const SymbolStore *store);

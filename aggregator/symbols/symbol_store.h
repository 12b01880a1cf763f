/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/memory_budget.h"
#include "record/batch_reader.h"

#include <glib.h>
#include <stdint.h>

/*
 * SymbolStore maps kernel addresses to names, per symbol epoch.
 *
 * Epoch 0 has the symbols of the kernel and of the modules loaded at the start. A later epoch
 * replaces only the modules' symbols. An address is looked up in the epoch of its stack: so
 * unloaded modules keep their names, and reused addresses are not confused.
 */
typedef struct SymbolStore SymbolStore;

/* A named place in the kernel. The strings belong to the store and are valid until text is
   added. */
typedef struct {
	const char *name;   /* NULL: only the module is known; start and bytes are the module's */
	const char *module; /* NULL: built in */
	uint64_t start;
	uint64_t bytes; /* up to the next symbol; 0: unknown */
} Symbol;

/* Returns a new one; free it with symbol_store_free(). */
SymbolStore *symbol_store_new(void);
void symbol_store_free(SymbolStore *store);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SymbolStore, symbol_store_free)

/* Sets the budget (borrowed) for the memory of later additions; refused additions are dropped.
   Without a budget only counts are limited. */
void symbol_store_set_memory(SymbolStore *store, MemoryBudget *memory);

/*
 * Adds lines in the format of /proc/kallsyms ("ADDRESS TYPE NAME[\t[MODULE]]") to an epoch. Only
 * text symbols are stored. Lines in other formats are skipped. The last line may lack its end, but
 * lines are not joined across calls.
 */
void symbol_store_add_kallsyms(SymbolStore *store, uint32_t epoch, const char *text, size_t length);

/* Adds lines "NAME BYTES ADDRESS BUILD-ID" (hexadecimal address, "-" for no build id). */
void symbol_store_add_modules(SymbolStore *store, uint32_t epoch, const char *text, size_t length);

/* Reads a batch of kind KMT_BATCH_SYMBOLS or KMT_BATCH_MODULES. Returns its epoch. */
uint32_t symbol_store_read_batch(SymbolStore *store, const Batch *batch);

/* Sets the kernel's text range; frames outside of it and of all modules are junk. 0, 0: unknown;
   then the symbols _stext and _etext define it. */
void symbol_store_set_text(SymbolStore *store, uint64_t start, uint64_t end);

/* Whether any symbol with an address is known. */
bool symbol_store_has_symbols(const SymbolStore *store);

/* Returns the address of a function of the kernel itself; 0: unknown. Searches all symbols. */
uint64_t symbol_store_address(const SymbolStore *store, const char *name);

/* Looks up an address. Returns false if nothing is known about it. */
bool symbol_store_lookup(const SymbolStore *store, uint32_t epoch, uint64_t address,
			 Symbol *symbol);

/* Whether the address is in recorded text: of the kernel, a module, or a symbol. True if the
   kernel's text is unknown. */
bool symbol_store_is_text(const SymbolStore *store, uint32_t epoch, uint64_t address);

/* Returns the size of an address on the recorded host, 4 or 8; 8 before the first batch. */
unsigned symbol_store_word_bytes(const SymbolStore *store);

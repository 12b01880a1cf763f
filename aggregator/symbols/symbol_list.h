/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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

/* Adds the symbols of the other list. */
void symbol_list_add_all(SymbolList *list, const SymbolList *other);

/* Sorts the list. Returns whether it has any symbol. */
bool symbol_list_put_in_order(SymbolList *list);

/* Returns the memory in use, in bytes. */
size_t symbol_list_memory(const SymbolList *list);

/* Return the first and the last address of a sorted list that is not empty. */
uint64_t symbol_list_first(const SymbolList *list);
uint64_t symbol_list_last(const SymbolList *list);

/* Updates the neighbours of address if the list has closer ones. */
void symbol_list_narrow(SymbolList *list, uint64_t address, SymbolNeighbours *neighbours);

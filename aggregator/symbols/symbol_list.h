/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * SymbolList holds addresses and where their names are, 16 bytes each.
 *
 * It is put in order when it is first searched after an addition. One symbol remains of those
 * with equal addresses: one of the kernel's native system call interface before that of another
 * one, then a global one before others, then the one that was added first.
 */
typedef struct {
	uint64_t address;
	uint32_t name;   /* offset of the name, grows with each addition */
	uint16_t module; /* number of the module, 0: built in */
	bool global;
	bool foreign; /* the entry of a system call for programs of another ABI */
} SymbolEntry;

typedef struct {
	GArray *entries; /* (element-type SymbolEntry), owned */
	bool ordered;
} SymbolList;

/* The symbols around an address: the last one that does not begin after it, and where the one
   after it begins. Start from SYMBOL_NEIGHBOURS_NONE, narrow by as many lists as there are. */
typedef struct {
	const SymbolEntry *at; /* NULL: none */
	uint64_t next;         /* UINT64_MAX: none */
} SymbolNeighbours;

#define SYMBOL_NEIGHBOURS_NONE ((SymbolNeighbours){ NULL, UINT64_MAX })

SymbolList *symbol_list_new(void);
void symbol_list_free(SymbolList *list);
void symbol_list_add(SymbolList *list, SymbolEntry entry);

void symbol_list_add_all(SymbolList *list, const SymbolList *other);

/* Puts the list in order. Returns whether it has any symbol. */
bool symbol_list_put_in_order(SymbolList *list);

/* Returns the memory in use, in bytes. */
size_t symbol_list_memory(const SymbolList *list);

/* Return the first and the last address of a list in order that has any. */
uint64_t symbol_list_first(const SymbolList *list);
uint64_t symbol_list_last(const SymbolList *list);

/* Moves the neighbours of address closer where the list has closer ones. */
void symbol_list_narrow(SymbolList *list, uint64_t address, SymbolNeighbours *neighbours);

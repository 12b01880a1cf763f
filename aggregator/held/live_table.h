/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * LiveTable has the objects that were allocated and not freed yet, by their key: 35 bytes an object
 * at most, and one or two cache misses a lookup. Only put may allocate memory.
 *
 * Chunks of 14 slots have a tag per slot, so that a lookup seldom reads a slot of another object. A
 * chunk counts the objects that went on to the next chunk because it was full: a removal leaves no
 * marker behind, and the table never needs to be cleaned up. The table consists of parts that grow
 * one by one: growing needs little more memory, and never takes long.
 */
typedef struct LiveTable LiveTable;

/* Keys have 48 bits; cells 30 bits. */
#define LIVE_KEY_BITS 48
#define LIVE_CELL_MAX ((1U << 30) - 1)
#define LIVE_CELL_NONE UINT32_MAX
#define LIVE_CPU_MASK 0xfffU

/* An object. Stored with less precision: the lower 12 bits of the CPU, and the time in units of at
   least 256 ns, so that any run fits. */
typedef struct {
	uint64_t time_ns; /* of its allocation */
	uint32_t cell;
	uint16_t cpu;
} LiveObject;

/* The result of live_table_put(). */
typedef enum {
	LIVE_ADDED,
	LIVE_REPLACED, /* the key was in use */
	LIVE_FULL,     /* not added: the memory limit is reached */
} LivePut;

/* Selects objects; returns false to drop one. */
typedef bool (*LiveKeeper)(uint64_t key, const LiveObject *object, void *user_data);

/* Returns an empty table that uses at most about bytes_max. Times before start_ns count as
   start_ns. Free it with live_table_free(). */
LiveTable *live_table_new(size_t bytes_max, uint64_t start_ns);
void live_table_free(LiveTable *table);

/* Raises the limit. Returns false if it was not lower before. */
bool live_table_set_memory(LiveTable *table, size_t bytes_max);

/* Returns the hash of a key, which the other functions take. Random in every run: nobody can
   prepare keys that collide. */
uint64_t live_table_hash(uint64_t key);

/* Prefetch the tags of a key, and later its slot. */
void live_table_prefetch_tags(const LiveTable *table, uint64_t hash);
void live_table_prefetch_slot(const LiveTable *table, uint64_t hash, bool is_free);

/* Returns the cell that the object of a key most likely has; LIVE_CELL_NONE: there may be no
   object. To call after its slot was prefetched. */
uint32_t live_table_likely_cell(const LiveTable *table, uint64_t hash);

/* Adds an object. If the key was in use, *replaced is the object with it before. */
LivePut live_table_put(LiveTable *table, uint64_t key, uint64_t hash, const LiveObject *object,
		       LiveObject *replaced);

/* Removes an object and returns it in *removed. Returns false if the key is not in use. */
bool live_table_remove(LiveTable *table, uint64_t key, uint64_t hash, LiveObject *removed);

/* Passes all objects to keep(), in no particular order, and removes those for which it returns
   false. keep() must not change the table. */
void live_table_filter(LiveTable *table, LiveKeeper keep, void *user_data);

/* Takes an object. */
typedef void (*LiveVisitor)(const LiveObject *object, void *user_data);

/* Passes all objects to visit(), in no particular order. */
void live_table_each(const LiveTable *table, LiveVisitor visit, void *user_data);

/* Returns the memory in use, in bytes. */
size_t live_table_memory(const LiveTable *table);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Distinct byte strings with dense ids: the bytes in large chunks that never move, and a hash table
 * of ids. The profile keeps its stacks in one. Memory is only given back as a whole.
 */
#include "count/stack_table.h"

#include "base/hot_assert.h"
#include "base/slot_table.h"
#include "base/keyed_hash.h"

#include <string.h>

enum {
	CHUNK_BYTES_MIN = 16 << 10,
	CHUNK_BYTES_MAX = 1 << 20,
	FIRST_SLOTS = 1024,
	FIRST_STACKS = 512,
};

typedef struct {
	const void *bytes; /* in a chunk */
	uint32_t length;
	uint32_t tag;
} Stack;

struct StackTable {
	SlotTable slots;
	Stack *stacks;
	uint32_t count;
	uint32_t capacity;
	GPtrArray *chunks; /* (element-type uint8_t *), owned */
	size_t chunk_left;
	uint8_t *chunk_at;
	size_t chunk_memory;
	size_t bytes_max;
};

StackTable *stack_table_new(size_t bytes_max)
{
	StackTable *table = g_new0(StackTable, 1);

	slot_table_init(&table->slots, FIRST_SLOTS);
	table->capacity = FIRST_STACKS;
	table->stacks = g_new(Stack, table->capacity);
	table->chunks = g_ptr_array_new_with_free_func(g_free);
	table->bytes_max = bytes_max;
	return table;
}

void stack_table_set_memory(StackTable *table, size_t bytes_max)
{
	table->bytes_max = bytes_max;
}

void stack_table_free(StackTable *table)
{
	if (!table)
		return;
	slot_table_clear(&table->slots);
	g_free(table->stacks);
	g_ptr_array_unref(table->chunks);
	g_free(table);
}

size_t stack_table_memory(const StackTable *table)
{
	return table->chunk_memory + slot_table_memory(&table->slots) +
	       table->capacity * sizeof(Stack);
}

/* Returns room for length bytes, aligned to 8. */
static void *arena_take(StackTable *table, uint32_t length)
{
	size_t needed = ((size_t)length + 7) & ~(size_t)7;
	void *room;

	if (needed > table->chunk_left || !table->chunk_at) {
		/* Small tables are frequent: one per interval. */
		size_t chunk = CLAMP(table->chunk_memory, CHUNK_BYTES_MIN, CHUNK_BYTES_MAX);
		size_t bytes = MAX(needed, chunk);

		table->chunk_at = g_malloc(bytes);
		table->chunk_left = bytes;
		table->chunk_memory += bytes;
		g_ptr_array_add(table->chunks, table->chunk_at);
	}
	room = table->chunk_at;
	hot_assert(needed <= table->chunk_left);
	table->chunk_at += needed;
	table->chunk_left -= needed;
	return room;
}

static StackId stack_table_add(StackTable *table, const void *bytes, uint32_t length, uint32_t tag)
{
	Stack *stack;
	void *room;

	size_t growth = table->count == table->capacity ? table->capacity * sizeof(Stack) : 0;

	if (stack_table_memory(table) + growth + length > table->bytes_max)
		return STACK_ID_NONE;
	if (table->count == table->capacity) {
		table->capacity *= 2;
		table->stacks = g_renew(Stack, table->stacks, table->capacity);
	}
	hot_assert(table->count < table->capacity);
	room = arena_take(table, length);
	if (length)
		memcpy(room, bytes, length);
	stack = &table->stacks[table->count];
	stack->bytes = room;
	stack->length = length;
	stack->tag = tag;
	return table->count++;
}

StackId stack_table_intern(StackTable *table, const void *bytes, uint32_t length, uint32_t tag)
{
	uint32_t hash = (uint32_t)XXH3_64bits_withSeed(bytes, length, keyed_hash_seed ^ tag);
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&table->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		const Stack *stack = &table->stacks[id];

		hot_assert(id < table->count);
		if (stack->length == length && stack->tag == tag &&
		    (!length || !memcmp(stack->bytes, bytes, length)))
			return id;
	}
	id = stack_table_add(table, bytes, length, tag);
	if (id != STACK_ID_NONE)
		slot_table_put(&table->slots, hash, at, id);
	return id;
}

uint32_t stack_table_count(const StackTable *table)
{
	return table->count;
}

const void *stack_table_bytes(const StackTable *table, StackId id, uint32_t *length)
{
	hot_assert(id < table->count);
	*length = table->stacks[id].length;
	return table->stacks[id].bytes;
}

uint32_t stack_table_tag(const StackTable *table, StackId id)
{
	hot_assert(id < table->count);
	return table->stacks[id].tag;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * StackTable gives every distinct stack a small, dense id.
 *
 * A stack consists of bytes from the caller (frame addresses, or the text of an imported stack) and
 * a tag (the symbol epoch). Stacks with equal bytes and tag are the same. Ids start at 0 and never
 * change, so callers can store per-stack numbers in plain arrays. The bytes are in chunks that
 * never move: pointers from stack_table_bytes() stay valid as long as the table.
 */
typedef struct StackTable StackTable;
typedef uint32_t StackId;

#define STACK_ID_NONE UINT32_MAX

/* Returns an empty table that uses at most about bytes_max bytes. Free it with stack_table_free().
 */
StackTable *stack_table_new(size_t bytes_max);
void stack_table_free(StackTable *table);

/* Sets the limit of an empty table. */
void stack_table_set_memory(StackTable *table, size_t bytes_max);

/*
 * Returns the id of the stack, adding a new stack with a copy of the bytes. Returns STACK_ID_NONE
 * if a new stack exceeds the memory limit.
 */
StackId stack_table_intern(StackTable *table, const void *bytes, uint32_t length, uint32_t tag);

/* Returns the number of stacks. */
uint32_t stack_table_count(const StackTable *table);

/* Returns the bytes of a stack, aligned to 8, and their number; borrowed. */
const void *stack_table_bytes(const StackTable *table, StackId id, uint32_t *length);

/* Returns the tag of the stack. */
uint32_t stack_table_tag(const StackTable *table, StackId id);

/* Returns the memory in use, in bytes. */
size_t stack_table_memory(const StackTable *table);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * MemoryBudget divides one bound (--max-memory) among all that a report is made of. Each part asks
 * before it takes memory; one that is refused keeps what it has and leaves out the rest, and the
 * report says which parts did.
 */
typedef enum {
	MEMORY_TABLES,    /* stacks, origins, tasks, caches, cells */
	MEMORY_SYMBOLS,   /* of the kernel and its modules, with their ranges */
	MEMORY_TEXTS,     /* names of caches, paths of cgroups, readings of slabinfo */
	MEMORY_CPUS,      /* what is known of each */
	MEMORY_INTERVALS, /* the tables of those that are open */
	MEMORY_REPORT,    /* lines of stacks, while it is made */
	MEMORY_PARTS,
} MemoryPart;

typedef struct {
	size_t bytes_max; /* of all parts together */
	size_t bytes[MEMORY_PARTS];
	bool full[MEMORY_PARTS]; /* something was refused */
} MemoryBudget;

/* Returns a budget of that many bytes, shared out among the tables, which bound themselves. Free it
   with g_free(). */
MemoryBudget *memory_budget_new(size_t bytes_max);

/* Returns how much a part may have in all, with what the others leave it. */
size_t memory_budget_limit(const MemoryBudget *budget, MemoryPart part);

/* Takes so many bytes for a part. Returns false, and notes that it is full, where that is too much.
   A budget of NULL refuses nothing. */
bool memory_budget_take(MemoryBudget *budget, MemoryPart part, size_t bytes);

/* What a part has becomes so many bytes. Returns false, likewise, where that is too much. */
bool memory_budget_set(MemoryBudget *budget, MemoryPart part, size_t bytes);

/* Whether any part was refused memory; the budget may be NULL. */
bool memory_budget_is_full(const MemoryBudget *budget);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * MemoryBudget divides one limit (--max-memory) among all parts of a report. Each part asks before
 * it takes memory. If refused, it keeps its data and drops new data, and the report names the part.
 * A part may take whatever the others leave, but each part has a floor, which the others leave to
 * it in any case.
 */
typedef enum {
	MEMORY_TABLES,    /* stacks, origins, tasks, caches, cells */
	MEMORY_SYMBOLS,   /* of the kernel and its modules, with their ranges */
	MEMORY_TEXTS,     /* names of caches, paths of cgroups, readings of slabinfo */
	MEMORY_CPUS,      /* state per CPU */
	MEMORY_INTERVALS, /* tables of the open intervals */
	MEMORY_LATE,      /* events after the time of a report that waits for a CPU */
	MEMORY_PAIRING,   /* objects in use, and events that wait for those of other CPUs */
	MEMORY_REPORT,    /* lines of stacks, while it is made */
	MEMORY_PARTS,
} MemoryPart;

typedef struct {
	size_t bytes_max; /* of all parts together */
	size_t bytes[MEMORY_PARTS];
	bool full[MEMORY_PARTS]; /* a request was refused */
	bool has_pairing;
} MemoryBudget;

/* Returns a budget of this many bytes. Free it with g_free(). */
MemoryBudget *memory_budget_new(size_t bytes_max);

/* Gives pairing a floor, and the others lower ones. Call this before any part takes memory. */
void memory_budget_pair(MemoryBudget *budget);

/* Returns the memory that a part can take in any case, with others of its kind: for what does not
   report its use. */
size_t memory_budget_floor(const MemoryBudget *budget, MemoryPart part);

/* Returns the maximum total memory of a part, given the use of the others. */
size_t memory_budget_limit(const MemoryBudget *budget, MemoryPart part);

/* Takes this many bytes for a part. If that exceeds the limit, returns false and marks the part as
   full. A NULL budget refuses nothing. */
bool memory_budget_take(MemoryBudget *budget, MemoryPart part, size_t bytes);

/* Sets the total memory of a part. Fails like memory_budget_take(). */
bool memory_budget_set(MemoryBudget *budget, MemoryPart part, size_t bytes);

/* Whether any part was refused memory; the budget may be NULL. */
bool memory_budget_is_full(const MemoryBudget *budget);

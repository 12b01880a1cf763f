/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

/*
 * FreeChecks looks for objects that are freed twice, or to a slab cache that is not their own.
 *
 * It remembers the addresses of recent frees. If one of them is freed again without an allocation
 * in between, the object was freed twice, or its next allocation was not seen. So the stream must
 * have the allocations of the whole host, and frees before a loss must be forgotten.
 *
 * Per free: one access to a table that fits into a CPU cache. Nothing is allocated.
 */
typedef struct FreeChecks FreeChecks;

/* How many frees are remembered at most; newer ones replace older ones. */
enum { FREE_CHECKS_RECENT = 1 << 16 };

typedef struct {
	uint64_t freed_again;
	uint64_t to_other_cache;  /* kmem_cache_free() named another cache than the allocation */
	uint64_t caches_compared; /* frees whose caches are both known */
	uint64_t freed_in_parts;  /* page allocations whose first free was of fewer pages */
} FreeChecksTotals;

/* Returns checks of the events of a profile, which is borrowed. */
FreeChecks *free_checks_new(const Profile *profile);
void free_checks_free(FreeChecks *checks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FreeChecks, free_checks_free)

/* Learns the cells of the profile that are new. Call this before they are passed. */
void free_checks_describe(FreeChecks *checks);

/* A free, by this kind of function (enum KmtOriginKind). key is its address, below 2^48, and hash
   a hash of it. */
typedef struct {
	uint64_t key;
	uint64_t hash;
	uint32_t cell; /* of the free; PROFILE_CELL_NONE: unknown */
	uint8_t kind;
	bool is_before_loss; /* events may have been lost since */
} CheckedFree;

/* Checks the free of an object that was allocated in this cell, or of one whose allocation was not
   seen since its last free. */
void free_checks_paired(FreeChecks *checks, const CheckedFree *freed, uint32_t allocated_cell);
void free_checks_unpaired(FreeChecks *checks, const CheckedFree *freed);

/* Events were lost: what was freed before may have been allocated since. */
void free_checks_forget(FreeChecks *checks);

/* Returns the sums over all frees so far. */
FreeChecksTotals free_checks_totals(const FreeChecks *checks);

/* Returns the memory in use, in bytes. */
size_t free_checks_memory(const FreeChecks *checks);

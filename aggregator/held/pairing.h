/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "held/cell_lives.h"
#include "held/live_table.h"

#include <glib.h>

/* Freers counts which call sites free the objects of a cell. */
typedef struct Freers Freers;

/* The frees of a cell's objects by one origin; ORIGIN_ID_OVERFLOW: by an unknown one. */
typedef struct {
	uint64_t freed;
	uint64_t freed_early; /* as in CellLife */
	uint64_t freed_apart;
	uint32_t cell;
	OriginId origin;
} Freer;

/* Returns a table that uses at most about bytes_max. If it is full, origins that are new count as
   ORIGIN_ID_OVERFLOW, as far as that one is known. Free it with freers_free(). */
Freers *freers_new(size_t bytes_max);
void freers_free(Freers *freers);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Freers, freers_free)

/* Raises the limit; a lower one changes nothing. */
void freers_set_memory(Freers *freers, size_t bytes_max);

/* Whether so many frees by new origins have room. */
bool freers_have_room(const Freers *freers, size_t frees);

/* Adds a free. */
void freers_add(Freers *freers, const Freer *added);

/* Gives cells other numbers: moved[cell] is the new one. Freers of one cell and origin become
   one. */
void freers_move(Freers *freers, const uint32_t *moved);

/* Returns all (element-type Freer), borrowed. */
const GArray *freers_all(const Freers *freers);

/* Returns the memory in use, in bytes. */
size_t freers_memory(const Freers *freers);

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

/*
 * Pairing finds out which allocations are still held: it merges the events of all CPUs by time, and
 * pairs each allocation with the free of its address.
 *
 * It checks itself: an allocation at an address that is still in use proves that a free was not
 * seen. If its memory is full, it continues with half of the addresses, chosen by their hash: each
 * remaining object then stands for twice as many.
 */
typedef struct Pairing Pairing;

/* What was paired; estimates if scale is more than 1. */
typedef struct {
	uint64_t allocated; /* successful allocations, without the collector's own */
	uint64_t freed;     /* of these */
	uint64_t held;
	uint64_t recycled;     /* addresses allocated again whose free was not seen */
	uint64_t unknown;      /* frees of what was allocated before, or was not recorded */
	uint64_t over_bound;   /* allocations not paired: the memory for cells was full */
	uint64_t out_of_order; /* events that were paired before all CPUs had sent theirs */
	uint64_t scale;        /* objects that a tracked object stands for */
} PairingTotals;

/* Returns a pairing that uses at most about bytes_max. profile is borrowed: pairing_take() counts
   into it. Free it with pairing_free(). */
Pairing *pairing_new(Profile *profile, size_t bytes_max);
void pairing_free(Pairing *pairing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Pairing, pairing_free)

/* Lets it take what a budget (borrowed) leaves to it; its first limit is then the floor there. */
void pairing_set_budget(Pairing *pairing, MemoryBudget *memory);

/* Sets the seed of sampling by address (kmt_address_is_taken()), and whether bits of addresses
   count (kmt_address_is_taken_by_bits()). */
void pairing_set_seed(Pairing *pairing, uint64_t seed, bool by_bits);

/* Counts the call sites that free, for pairing_freers(). */
void pairing_note_freers(Pairing *pairing);

/* Ignores frees after the window. Without this call they count, as far as the stream goes. */
void pairing_cut_frees(Pairing *pairing);

/* Counts the events of a batch in the profile, and remembers them until they are paired. */
void pairing_take(Pairing *pairing, const Events *events);

/* Pairs all events before complete_until_ns: every CPU has sent its events up to that time.
   UINT64_MAX: the stream has ended. All events that are known to be lost were before last_loss_ns;
   0: none. */
void pairing_release(Pairing *pairing, uint64_t complete_until_ns, uint64_t last_loss_ns);

/* Returns the sums over all events so far. */
PairingTotals pairing_totals(const Pairing *pairing);

/* Returns the member over_bound of the totals alone, without adding up all cells. */
uint64_t pairing_over_bound(const Pairing *pairing);

/* Returns the time until which events were paired, or of the last event if the stream has ended; 0:
   none was paired. */
uint64_t pairing_end_ns(const Pairing *pairing);

/* Return the counters of the profile's cells, the profile, and the freers: NULL without
   pairing_note_freers(). Borrowed. */
const CellLives *pairing_lives(const Pairing *pairing);
const Profile *pairing_profile(const Pairing *pairing);
const Freers *pairing_freers(const Pairing *pairing);

/* Returns what was found out about frees that look wrong. */
FreeChecksTotals pairing_checks(const Pairing *pairing);

/* Calls visit for every held object, in no particular order. */
void pairing_each_object(const Pairing *pairing, LiveVisitor visit, void *user_data);

/* Returns the memory in use, in bytes. */
size_t pairing_memory(const Pairing *pairing);

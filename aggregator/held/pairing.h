/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"
#include "held/cell_lives.h"
#include "held/free_checks.h"
#include "held/freers.h"
#include "held/live_table.h"

#include <glib.h>

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

/* Sets the seed of sampling by address (kmt_address_is_taken()). */
void pairing_set_seed(Pairing *pairing, uint64_t seed);

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

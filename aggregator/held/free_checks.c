/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of the keys of recent frees, by hash: a newer one replaces an older one. Cells get the
 * number of their cache's name once, so comparing costs no text. pairing.c asks it at each free;
 * doubts are counted, never guessed. Before it: Freers, a table of who frees the objects of a cell.
 */
#include "held/pairing.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/slot_table.h"

#include <string.h>

/*
 * A hash table of (cell, origin of the free) with counters. When it is full, frees count for an
 * unknown site. pairing.c adds to it, held_cells.c makes cells of it for --by=free-callsite.
 */

enum { FIRST_SLOTS = 256, BYTES_OF_A_FREER = sizeof(Freer) + 4 * sizeof(Slot) };

struct Freers {
	SlotTable slots;
	GArray *all; /* (element-type Freer), owned */
	guint freers_max;
};

void freers_set_memory(Freers *freers, size_t bytes_max)
{
	freers->freers_max =
		MAX(freers->freers_max, (guint)MIN(bytes_max / BYTES_OF_A_FREER, G_MAXINT));
}

bool freers_have_room(const Freers *freers, size_t frees)
{
	return freers->freers_max - freers->all->len >= frees;
}

Freers *freers_new(size_t bytes_max)
{
	Freers *freers = g_new0(Freers, 1);

	slot_table_init(&freers->slots, FIRST_SLOTS);
	freers->all = g_array_new(FALSE, FALSE, sizeof(Freer));
	freers_set_memory(freers, bytes_max);
	return freers;
}

void freers_free(Freers *freers)
{
	if (!freers)
		return;
	slot_table_clear(&freers->slots);
	g_array_unref(freers->all);
	g_free(freers);
}

/* Returns the entry of a cell and an origin, adding it if new; NULL: no memory. */
static Freer *freer_intern(Freers *freers, uint32_t cell, OriginId origin)
{
	const uint32_t key[2] = { cell, origin };
	uint32_t hash = (uint32_t)keyed_hash(key, sizeof(key));
	const Freer added = { .cell = cell, .origin = origin };
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&freers->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		Freer *known = &g_array_index(freers->all, Freer, id);

		if (known->cell == cell && known->origin == origin)
			return known;
	}
	if (freers->all->len >= freers->freers_max)
		return NULL;
	slot_table_put(&freers->slots, hash, at, freers->all->len);
	g_array_append_val(freers->all, added);
	return &g_array_index(freers->all, Freer, freers->all->len - 1);
}

void freers_add(Freers *freers, const Freer *added)
{
	Freer *freer = freer_intern(freers, added->cell, added->origin);

	if (!freer)
		freer = freer_intern(freers, added->cell, ORIGIN_ID_OVERFLOW);
	if (!freer)
		return;
	freer->freed += added->freed;
	freer->freed_early += added->freed_early;
	freer->freed_apart += added->freed_apart;
}

void freers_move(Freers *freers, const uint32_t *moved)
{
	g_autoptr(GArray) before = freers->all;
	uint32_t slots = freers->slots.mask + 1;

	slot_table_clear(&freers->slots);
	slot_table_init(&freers->slots, slots);
	freers->all = g_array_new(FALSE, FALSE, sizeof(Freer));
	for (guint i = 0; i < before->len; i++) {
		Freer freer = g_array_index(before, Freer, i);

		freer.cell = moved[freer.cell];
		freers_add(freers, &freer);
	}
}

const GArray *freers_all(const Freers *freers)
{
	return freers->all;
}

size_t freers_memory(const Freers *freers)
{
	return sizeof(*freers) + freers->all->len * sizeof(Freer) +
	       slot_table_memory(&freers->slots);
}

struct FreeChecks {
	const Profile *profile; /* borrowed */
	uint64_t *recent;       /* owned: keys, by hash; 0: none */
	GArray *cells;          /* (element-type uint32_t), owned: numbers of names, by cell */
	GArray *caches;         /* (element-type uint32_t), owned: the same, by CacheId */
	GHashTable *names;      /* owned: of caches, to their numbers */
	FreeChecksTotals totals;
};

enum { NAME_UNKNOWN = 0, NAME_NOT_READ = UINT32_MAX };

FreeChecks *free_checks_new(const Profile *profile)
{
	FreeChecks *checks = g_new0(FreeChecks, 1);

	checks->profile = profile;
	checks->recent = g_new0(uint64_t, FREE_CHECKS_RECENT);
	checks->cells = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	checks->caches = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	checks->names = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	return checks;
}

void free_checks_free(FreeChecks *checks)
{
	if (!checks)
		return;
	g_free(checks->recent);
	g_array_unref(checks->cells);
	g_array_unref(checks->caches);
	g_hash_table_unref(checks->names);
	g_free(checks);
}

/* Caches that differ in their sizes alone have one name. */
static uint32_t number_of_cache(FreeChecks *checks, CacheId cache)
{
	static const uint32_t not_read = NAME_NOT_READ;
	const char *name;
	uint32_t *number;

	if (cache == CACHE_ID_UNKNOWN || cache == CACHE_ID_OVERFLOW)
		return NAME_UNKNOWN;
	while (checks->caches->len <= cache)
		g_array_append_val(checks->caches, not_read);
	number = &g_array_index(checks->caches, uint32_t, cache);
	if (*number != NAME_NOT_READ)
		return *number;
	name = profile_cache(checks->profile, cache)->name;
	*number = GPOINTER_TO_UINT(g_hash_table_lookup(checks->names, name));
	if (!*number) {
		*number = g_hash_table_size(checks->names) + 1;
		g_hash_table_insert(checks->names, g_strdup(name), GUINT_TO_POINTER(*number));
	}
	return *number;
}

static void describe_cell(FreeChecks *checks, uint32_t cell)
{
	OriginId origin = profile_cell(checks->profile, cell)->origin;

	hot_assert(cell < checks->cells->len);
	g_array_index(checks->cells, uint32_t, cell) =
		number_of_cache(checks, profile_origin(checks->profile, origin)->cache);
}

void free_checks_describe(FreeChecks *checks)
{
	uint32_t reused_count;
	const uint32_t *reused = profile_cells_reused(checks->profile, &reused_count);
	uint32_t known = checks->cells->len, cells = profile_cell_count(checks->profile);

	g_array_set_size(checks->cells, cells);
	for (uint32_t i = known; i < cells; i++)
		describe_cell(checks, i);
	for (uint32_t i = 0; i < reused_count; i++)
		describe_cell(checks, reused[i]);
}

static inline uint64_t *slot_of(const FreeChecks *checks, uint64_t hash)
{
	return &checks->recent[hash % FREE_CHECKS_RECENT];
}

static uint64_t bytes_of(const FreeChecks *checks, uint32_t cell)
{
	OriginId origin = profile_cell(checks->profile, cell)->origin;

	return profile_origin(checks->profile, origin)->bytes_requested;
}

/* Compares a free with the allocation of what it frees. */
static void free_checks_compare(FreeChecks *checks, uint32_t allocated_cell,
				const CheckedFree *freed)
{
	uint32_t own, named;

	if (freed->cell >= checks->cells->len || allocated_cell >= checks->cells->len)
		return;
	/* Split pages are freed one by one. */
	if (freed->kind == KMT_KIND_PAGE) {
		uint64_t bytes = bytes_of(checks, freed->cell);

		checks->totals.freed_in_parts += bytes && bytes < bytes_of(checks, allocated_cell);
	}
	/* kfree() may free objects of any cache. */
	if (freed->kind != KMT_KIND_CACHE)
		return;
	own = g_array_index(checks->cells, uint32_t, allocated_cell);
	named = g_array_index(checks->cells, uint32_t, freed->cell);
	if (own == NAME_UNKNOWN || named == NAME_UNKNOWN)
		return;
	checks->totals.caches_compared++;
	checks->totals.to_other_cache += own != named;
}

/* An object that was queued for RCU is freed later, and that may be recorded, too. Pages may be
   shared and split, and ranges are often allocated unseen. */
static bool is_of_object(const CheckedFree *freed)
{
	return freed->kind == KMT_KIND_KFREE || freed->kind == KMT_KIND_CACHE ||
	       freed->kind == KMT_KIND_BULK;
}

void free_checks_paired(FreeChecks *checks, const CheckedFree *freed, uint32_t allocated_cell)
{
	free_checks_compare(checks, allocated_cell, freed);
	*slot_of(checks, freed->hash) =
		is_of_object(freed) && !freed->is_before_loss ? freed->key : 0;
}

void free_checks_unpaired(FreeChecks *checks, const CheckedFree *freed)
{
	uint64_t *recent = slot_of(checks, freed->hash);

	/* After the window, allocations are not followed any more. */
	if (*recent != freed->key || !is_of_object(freed) || freed->cell == PROFILE_CELL_NONE)
		return;
	checks->totals.freed_again++;
	*recent = 0;
}

void free_checks_forget(FreeChecks *checks)
{
	memset(checks->recent, 0, FREE_CHECKS_RECENT * sizeof(*checks->recent));
}

FreeChecksTotals free_checks_totals(const FreeChecks *checks)
{
	return checks->totals;
}

size_t free_checks_memory(const FreeChecks *checks)
{
	return FREE_CHECKS_RECENT * sizeof(*checks->recent) +
	       (checks->cells->len + checks->caches->len) * sizeof(uint32_t);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of (cell, origin of the free) with counters. When it is full, frees count for an
 * unknown site. pairing.c adds to it, held_cells.c makes cells of it for --by=free-callsite.
 */
#include "held/freers.h"

#include "base/keyed_hash.h"
#include "base/slot_table.h"

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

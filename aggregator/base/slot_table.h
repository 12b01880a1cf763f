/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"

#include <glib.h>
#include <stdint.h>

/*
 * SlotTable maps the hash of an item to its dense id. The caller stores the items.
 *
 * Open addressing, at most four fifths full. A slot contains the hash, so growing does not read
 * the items. A lookup is a loop over candidates, which the caller compares:
 *
 *	for (at = hash; (id = slot_table_candidate(table, hash, &at)) != SLOT_ID_NONE; at++)
 *		if (items[id] matches) return id;
 *	slot_table_put(table, hash, at, new_id);
 */
typedef struct {
	uint32_t hash;
	uint32_t id_plus_one; /* 0: free */
} Slot;

typedef struct {
	Slot *slots;
	uint32_t mask;
	uint32_t used;
} SlotTable;

#define SLOT_ID_NONE UINT32_MAX

static inline void slot_table_init(SlotTable *table, uint32_t slots_power_of_two)
{
	hot_assert(slots_power_of_two && !(slots_power_of_two & (slots_power_of_two - 1)));
	table->slots = g_new0(Slot, slots_power_of_two);
	table->mask = slots_power_of_two - 1;
	table->used = 0;
}

static inline void slot_table_clear(SlotTable *table)
{
	g_free(table->slots);
}

/*
 * Returns the next candidate with this hash, from position *at on. If there is none, returns
 * SLOT_ID_NONE, and *at is the free slot for a new entry. Start with *at = hash; add one to
 * continue.
 */
static inline uint32_t slot_table_candidate(const SlotTable *table, uint32_t hash, uint32_t *at)
{
	hot_assert(table->used <= table->mask);
	for (;; ++*at) {
		const Slot *slot = &table->slots[*at & table->mask];

		if (!slot->id_plus_one)
			return SLOT_ID_NONE;
		if (slot->hash == hash)
			return slot->id_plus_one - 1;
	}
}

static inline void slot_table_grow(SlotTable *table)
{
	SlotTable grown;

	slot_table_init(&grown, (table->mask + 1) * 2);
	for (uint32_t i = 0; i <= table->mask; i++) {
		const Slot *slot = &table->slots[i];
		uint32_t at = slot->hash;

		if (!slot->id_plus_one)
			continue;
		while (grown.slots[at & grown.mask].id_plus_one)
			at++;
		grown.slots[at & grown.mask] = *slot;
	}
	grown.used = table->used;
	slot_table_clear(table);
	*table = grown;
}

/* Stores an id in the free slot that slot_table_candidate() found. */
static inline void slot_table_put(SlotTable *table, uint32_t hash, uint32_t at, uint32_t id)
{
	Slot *slot = &table->slots[at & table->mask];

	hot_assert(!slot->id_plus_one && id != SLOT_ID_NONE);
	slot->hash = hash;
	slot->id_plus_one = id + 1;
	if (++table->used > table->mask / 5 * 4)
		slot_table_grow(table);
}

/*
 * Returns how many slots are read to find every entry once: slightly more than the number of
 * entries if hashes spread well.
 */
static inline uint64_t slot_table_probes(const SlotTable *table)
{
	uint64_t probes = 0;

	for (uint32_t i = 0; i <= table->mask; i++)
		if (table->slots[i].id_plus_one)
			probes += ((i - table->slots[i].hash) & table->mask) + 1;
	return probes;
}

/* Replaces the id of the candidate found at this position. */
static inline void slot_table_replace(SlotTable *table, uint32_t at, uint32_t id)
{
	hot_assert(table->slots[at & table->mask].id_plus_one && id != SLOT_ID_NONE);
	table->slots[at & table->mask].id_plus_one = id + 1;
}

static inline size_t slot_table_memory(const SlotTable *table)
{
	return ((size_t)table->mask + 1) * sizeof(Slot);
}

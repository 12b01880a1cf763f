/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* A range of addresses, and what it is of. */
typedef struct {
	uint64_t start;
	uint64_t end; /* the first address after it */
	uint64_t id;
} AddressRange;

/* AddressRanges finds the range that contains an address. Ranges may overlap. */
typedef struct AddressRanges AddressRanges;

/* Returns a new one; free it with address_ranges_free(). */
AddressRanges *address_ranges_new(void);
void address_ranges_free(AddressRanges *ranges);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AddressRanges, address_ranges_free)

/* Adds a range; end is the first address after it. Empty ranges are left out. */
void address_ranges_add(AddressRanges *ranges, uint64_t start, uint64_t end, uint64_t id);

/* Orders the ranges. Required between the last addition and the first search; costs nothing if they
   are in order. */
void address_ranges_order(AddressRanges *ranges);

/* Finds the range that contains an address; of several, the one that starts last. For ranges that
   may lie in each other, such as functions. Returns false if there is none. */
bool address_ranges_find(const AddressRanges *ranges, uint64_t address, AddressRange *found);

/* The same for ranges that lie beside each other, but whose ends may be too high: behind the start
   of another range, an address is in no earlier one. */
bool address_ranges_find_nearest(const AddressRanges *ranges, uint64_t address,
				 AddressRange *found);

/* Return how many ranges there are, and one of them: if ordered, by start. */
guint address_ranges_count(const AddressRanges *ranges);
AddressRange address_ranges_get(const AddressRanges *ranges, guint index);

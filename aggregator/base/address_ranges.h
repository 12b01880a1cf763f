/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * AddressRanges finds the range that contains an address. Each range has an id. Ranges may overlap;
 * then the one that starts last is found.
 */
typedef struct AddressRanges AddressRanges;

AddressRanges *address_ranges_new(void);
void address_ranges_free(AddressRanges *ranges);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(AddressRanges, address_ranges_free)

/* Adds a range; end is the first address after it. Empty ranges are left out. */
void address_ranges_add(AddressRanges *ranges, uint64_t start, uint64_t end, uint64_t id);

/* Orders the ranges. Required between the last addition and the first search. */
void address_ranges_order(AddressRanges *ranges);

/* Finds the id and the start of the range that contains an address. Returns false if there is none.
 */
bool address_ranges_find(const AddressRanges *ranges, uint64_t address, uint64_t *id,
			 uint64_t *start);

/* Return how many ranges there are, and the start and id of one. */
guint address_ranges_count(const AddressRanges *ranges);
uint64_t address_ranges_start(const AddressRanges *ranges, guint index, uint64_t *id);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/address_ranges.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(address_ranges);

enum { NONE = 99, SPACE = 1000, MANY = 200 };

static uint64_t id_at(const AddressRanges *ranges, uint64_t address)
{
	AddressRange found;

	if (!address_ranges_find(ranges, address, &found))
		return NONE;
	cr_expect_leq(found.start, address);
	return found.id;
}

Test(address_ranges, an_address_is_found_in_its_range_only)
{
	g_autoptr(AddressRanges) ranges = address_ranges_new();

	address_ranges_add(ranges, 30, 40, 3);
	address_ranges_add(ranges, 10, 20, 1);
	address_ranges_add(ranges, 25, 25, 2);
	address_ranges_order(ranges);
	cr_expect_eq(id_at(ranges, 9), NONE);
	cr_expect_eq(id_at(ranges, 10), 1);
	cr_expect_eq(id_at(ranges, 19), 1);
	cr_expect_eq(id_at(ranges, 20), NONE);
	cr_expect_eq(id_at(ranges, 25), NONE);
	cr_expect_eq(id_at(ranges, 39), 3);
	cr_expect_eq(id_at(ranges, UINT64_MAX), NONE);
}

/* Compares with a search through all ranges. */
Test(address_ranges, of_several_the_one_that_starts_last_is_found)
{
	g_autoptr(AddressRanges) ranges = address_ranges_new();
	g_autoptr(GRand) random = g_rand_new_with_seed(5);
	uint64_t ids[SPACE];

	for (int at = 0; at < SPACE; at++)
		ids[at] = NONE;
	for (int i = 0; i < MANY; i++) {
		/* Of two ranges with one start, the shorter one is found; so all starts differ. */
		int start = i * SPACE / MANY, end = g_rand_int_range(random, start, SPACE);

		address_ranges_add(ranges, (uint64_t)start, (uint64_t)end, (uint64_t)(i + SPACE));
		for (int at = start; at < end; at++)
			ids[at] = (uint64_t)(i + SPACE);
	}
	address_ranges_order(ranges);
	for (int at = 0; at < SPACE; at++)
		cr_expect_eq(id_at(ranges, (uint64_t)at), ids[at]);
}

static uint64_t id_of_nearest(const AddressRanges *ranges, uint64_t address)
{
	AddressRange found;

	return address_ranges_find_nearest(ranges, address, &found) ? found.id : NONE;
}

Test(address_ranges, behind_the_start_of_the_nearest_range_is_no_earlier_one)
{
	g_autoptr(AddressRanges) ranges = address_ranges_new();

	address_ranges_add(ranges, 10, 90, 1);
	address_ranges_add(ranges, 30, 40, 3);
	address_ranges_order(ranges);
	cr_expect_eq(id_of_nearest(ranges, 9), NONE);
	cr_expect_eq(id_of_nearest(ranges, 10), 1);
	cr_expect_eq(id_of_nearest(ranges, 39), 3);
	cr_expect_eq(id_of_nearest(ranges, 40), NONE);
	cr_expect_eq(id_at(ranges, 40), 1);
}

Test(address_ranges, what_is_added_later_is_found_after_the_next_ordering)
{
	g_autoptr(AddressRanges) ranges = address_ranges_new();

	address_ranges_add(ranges, 30, 40, 3);
	address_ranges_order(ranges);
	address_ranges_add(ranges, 10, 20, 1);
	address_ranges_order(ranges);
	cr_expect_eq(id_at(ranges, 15), 1);
	cr_expect_eq(id_at(ranges, 35), 3);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "held/live_table.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(live_table);

#define PLENTY ((size_t)64 << 20)

enum { OBJECTS = 100000, BYTES_PER_OBJECT_MAX = 40 };

static LivePut put(LiveTable *table, uint64_t key, uint64_t time_ns, uint32_t cell)
{
	const LiveObject object = { time_ns, cell, (uint16_t)(key % 4096) };
	LiveObject replaced;

	return live_table_put(table, key, live_table_hash(key), &object, &replaced);
}

static bool take(LiveTable *table, uint64_t key, LiveObject *removed)
{
	return live_table_remove(table, key, live_table_hash(key), removed);
}

/* A LiveVisitor. */
static void count_one(const LiveObject *object, void *user_data)
{
	(void)object;
	++*(uint64_t *)user_data;
}

static uint64_t objects_in(const LiveTable *table)
{
	uint64_t count = 0;

	live_table_each(table, count_one, &count);
	return count;
}

Test(live_table, every_object_is_found_again)
{
	LiveTable *table = live_table_new(PLENTY, 0);
	LiveObject object;
	uint64_t wrong = 0;

	for (uint64_t key = 1; key <= OBJECTS; key++)
		cr_assert(eq(int, put(table, key * 48, key * 1000, (uint32_t)key), LIVE_ADDED));
	cr_expect(eq(u64, objects_in(table), OBJECTS));
	cr_expect(lt(sz, live_table_memory(table), OBJECTS * BYTES_PER_OBJECT_MAX));
	for (uint64_t key = 1; key <= OBJECTS; key++)
		wrong += !take(table, key * 48, &object) || object.cell != key ||
			 object.cpu != key * 48 % 4096 || object.time_ns > key * 1000 ||
			 object.time_ns + 256 <= key * 1000;
	cr_expect(eq(u64, wrong, 0));
	cr_expect_not(take(table, 7, &object));
	cr_expect(eq(u64, objects_in(table), 0));
	live_table_free(table);
}

Test(live_table, a_key_in_use_is_replaced)
{
	LiveTable *table = live_table_new(PLENTY, 0);
	const LiveObject object = { 5000, 2, 1 };
	LiveObject replaced;

	put(table, 64, 1000, 1);
	cr_expect(eq(int, live_table_put(table, 64, live_table_hash(64), &object, &replaced),
		     LIVE_REPLACED));
	cr_expect(eq(u32, replaced.cell, 1));
	cr_expect(eq(u64, objects_in(table), 1));
	cr_expect(take(table, 64, &replaced));
	cr_expect(eq(u32, replaced.cell, 2));
	cr_expect_not(take(table, 64, &replaced));
	live_table_free(table);
}

/* Objects come and go for long: chunks overflow and empty again. */
Test(live_table, churn_leaves_nothing_behind)
{
	LiveTable *table = live_table_new(PLENTY, 0);
	LiveObject removed;
	uint64_t missing = 0;

	for (uint64_t key = 0; key < 20 * OBJECTS; key++) {
		put(table, key, key, 1);
		if (key >= 1000)
			missing += !take(table, key - 1000, &removed);
	}
	cr_expect(eq(u64, missing, 0));
	cr_expect(eq(u64, objects_in(table), 1000));
	cr_expect(lt(sz, live_table_memory(table), 128 << 10));
	live_table_free(table);
}

Test(live_table, a_run_of_a_year_keeps_its_times)
{
	LiveTable *table = live_table_new(PLENTY, 1000);
	const uint64_t day_ns = 24 * 3600 * 1000000000ULL;
	LiveObject object;

	put(table, 1, 1000 + day_ns, 1);
	put(table, 2, 1000 + 365 * day_ns, 2);
	cr_assert(take(table, 1, &object));
	cr_expect(le(u64, 1000 + day_ns - object.time_ns, day_ns / 1000000));
	cr_assert(take(table, 2, &object));
	cr_expect(le(u64, 1000 + 365 * day_ns - object.time_ns, day_ns / 1000000));
	live_table_free(table);
}

/* A LiveKeeper. */
static bool is_even(uint64_t key, const LiveObject *object, void *user_data)
{
	(void)object;
	(void)user_data;
	return key % 2 == 0;
}

Test(live_table, a_full_table_takes_objects_again_once_filtered)
{
	LiveTable *table = live_table_new(1 << 20, 0);
	LiveObject object;
	uint64_t key = 0;

	while (put(table, key, key, 1) == LIVE_ADDED)
		key++;
	cr_expect(lt(u64, 10000, key));
	cr_expect(le(sz, live_table_memory(table), (1 << 20) + 4096));
	live_table_filter(table, is_even, NULL);
	cr_expect(eq(u64, objects_in(table), (key + 1) / 2));
	cr_expect(eq(int, put(table, key, key, 1), LIVE_ADDED));
	cr_expect_not(take(table, 1, &object));
	cr_expect(take(table, 2, &object));
	live_table_free(table);
}

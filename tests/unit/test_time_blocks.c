/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/time_blocks.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <glib.h>

TEST_SUITE_WITHOUT_LEAKS(time_blocks);

enum { CELL = 1, CELLS = 2, MS = 1000000 };

static TimeBlocks *blocks_new(void)
{
	TimeBlocks *blocks = time_blocks_new();

	time_blocks_grow(blocks, CELLS);
	return blocks;
}

static uint64_t sum(const TimeBlocks *blocks, TimeBlockRange range)
{
	uint64_t events = 0;

	for (uint32_t block = 0; block < range.count; block++)
		events += time_blocks_events(blocks, range, block, CELL);
	return events;
}

static double length(TimeBlockRange range)
{
	double all = 0;

	for (uint32_t block = 0; block < range.count; block++)
		all += time_blocks_length(range, block);
	return all;
}

/* Whatever the start and the length, every event is in one block, by the length of that block. */
Test(time_blocks, steady_events_fill_blocks_by_their_lengths)
{
	for (uint64_t run_ms = 3; run_ms < 2000; run_ms = run_ms * 3 / 2) {
		uint64_t start_ns = 7777777777 + run_ms * 12345, end_ns = start_ns + run_ms * MS;
		TimeBlocks *blocks = blocks_new();
		uint64_t events = 100000;
		TimeBlockRange range;

		for (uint64_t i = 0; i < events; i++)
			time_blocks_add(blocks, CELL, start_ns + run_ms * MS * i / events, 1);
		range = time_blocks_range(blocks, start_ns, end_ns);
		cr_assert(range.count > TIME_BLOCKS / 2 - 2 && range.count <= TIME_BLOCKS);
		cr_expect(eq(u64, sum(blocks, range), events));
		for (uint32_t block = 0; block < range.count; block++) {
			double part = time_blocks_length(range, block) / length(range);

			cr_expect_float_eq((double)time_blocks_events(blocks, range, block, CELL),
					   part * (double)events, 2, "%d of %d", (int)block,
					   (int)range.count);
		}
		time_blocks_free(blocks);
	}
}

Test(time_blocks, events_of_other_cpus_may_be_earlier)
{
	TimeBlocks *blocks = blocks_new();
	TimeBlockRange range;

	time_blocks_add(blocks, CELL, 900 * MS, 3);
	time_blocks_add(blocks, CELL, 100 * MS, 4);
	time_blocks_add(blocks, CELL, 500 * MS, 5);
	time_blocks_add(blocks, 0, 500 * MS, 50);
	range = time_blocks_range(blocks, 100 * MS, 901 * MS);
	cr_expect(eq(u64, sum(blocks, range), 12));
	cr_expect(eq(u64, time_blocks_events(blocks, range, 0, CELL), 4));
	cr_expect(eq(u64, time_blocks_events(blocks, range, range.count - 1, CELL), 3));
	time_blocks_free(blocks);
}

/* The run was longer than its events. */
Test(time_blocks, blocks_without_events_count)
{
	TimeBlocks *blocks = blocks_new();
	TimeBlockRange range;

	time_blocks_add(blocks, CELL, 100 * MS, 4);
	time_blocks_add(blocks, CELL, 101 * MS, 4);
	range = time_blocks_range(blocks, 99 * MS, 100000 * (uint64_t)MS);
	cr_expect(range.count > TIME_BLOCKS / 2 - 2 && range.count <= TIME_BLOCKS);
	cr_expect(eq(u64, sum(blocks, range), 8));
	cr_expect(eq(u64, time_blocks_events(blocks, range, 0, CELL), 8));
	time_blocks_free(blocks);
}

Test(time_blocks, values_are_added)
{
	TimeBlocks *blocks = blocks_new();
	TimeBlockRange range;
	double value = 0;

	for (uint64_t ms = 1; ms <= 1000; ms++) {
		time_blocks_add(blocks, CELL, ms * MS, 1);
		time_blocks_add_value(blocks, CELL, ms * MS, 2.5);
	}
	range = time_blocks_range(blocks, MS, 1001 * MS);
	for (uint32_t block = 0; block < range.count; block++)
		value += time_blocks_value(blocks, range, block, CELL);
	cr_expect_float_eq(value, 2500, 0.1);
	cr_expect(eq(u64, sum(blocks, range), 1000));
	time_blocks_free(blocks);
}

Test(time_blocks, numbers_saturate)
{
	TimeBlocks *blocks = blocks_new();
	TimeBlockRange range;

	for (uint64_t ms = 1; ms <= 100; ms++)
		time_blocks_add(blocks, CELL, ms * MS, UINT64_MAX);
	range = time_blocks_range(blocks, MS, 101 * MS);
	for (uint32_t block = 0; block < range.count; block++)
		cr_expect(time_blocks_events(blocks, range, block, CELL) >= UINT32_MAX);
	time_blocks_free(blocks);
}

Test(time_blocks, without_times_there_are_no_blocks)
{
	TimeBlocks *blocks = blocks_new();

	cr_expect(eq(u32, time_blocks_range(blocks, 5, 5).count, 0));
	time_blocks_add(blocks, CELL, UINT64_MAX, 1);
	cr_expect(eq(u32, time_blocks_range(blocks, UINT64_MAX - 1, UINT64_MAX).count, 0));
	time_blocks_add(blocks, CELL, 0, 1);
	cr_expect(eq(u32, time_blocks_range(blocks, 100 * MS, 200 * MS).count, 0));
	time_blocks_free(blocks);
}

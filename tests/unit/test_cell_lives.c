/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "held/cell_lives.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(cell_lives);

#define PLENTY ((size_t)1 << 20)
#define MS 1000000ULL

enum { SMALL, LARGE, OWN, CELLS };

static CellLives *lives_new(void)
{
	CellLives *lives = cell_lives_new(PLENTY);

	cr_assert(eq(u32, cell_lives_grow(lives, CELLS), CELLS));
	cell_lives_describe(lives, SMALL, 10, false);
	cell_lives_describe(lives, LARGE, 1000, false);
	cell_lives_describe(lives, OWN, 100000, true);
	cell_lives_start(lives, 0);
	return lives;
}

static void allocate(CellLives *lives, uint32_t cell, unsigned objects, uint64_t time_ns)
{
	for (unsigned i = 0; i < objects; i++)
		cell_lives_allocated(lives, cell, time_ns, 1);
}

static void free_all(CellLives *lives, uint32_t cell, unsigned objects, uint64_t time_ns,
		     uint64_t lifetime_ns)
{
	const EndedLife ended = { time_ns - lifetime_ns, time_ns, false };

	for (unsigned i = 0; i < objects; i++)
		cell_lives_freed(lives, cell, &ended, 1);
}

/* The peak is of bytes, of all cells together: SMALL has most objects at another time. */
Test(cell_lives, the_peak_is_when_most_memory_is_in_use)
{
	g_autoptr(CellLives) lives = lives_new();

	allocate(lives, SMALL, 20, 1 * MS);
	free_all(lives, SMALL, 15, 2 * MS, MS);
	allocate(lives, LARGE, 3, 3 * MS);
	allocate(lives, OWN, 2, 4 * MS);
	free_all(lives, LARGE, 2, 5 * MS, MS);
	allocate(lives, SMALL, 40, 6 * MS);
	cr_expect(eq(u64, cell_lives_totals(lives).peak_bytes, 3050));
	cr_expect(eq(u64, cell_lives_totals(lives).peak_ns, 3 * MS));
	cr_expect(eq(u64, cell_lives_at_peak(lives, SMALL, 1), 5));
	cr_expect(eq(u64, cell_lives_at_peak(lives, LARGE, 1), 3));
	cr_expect(eq(u64, cell_lives_life(lives, SMALL)->live, 45));
	cr_expect(eq(u64, cell_lives_totals(lives).bytes, 1450));
}

/* What was counted before the scale rose stays as it was. */
Test(cell_lives, the_peak_stays_if_the_scale_rises)
{
	g_autoptr(CellLives) lives = lives_new();

	allocate(lives, LARGE, 8, 1 * MS);
	free_all(lives, LARGE, 2, 2 * MS, MS);
	cell_lives_before_scale(lives, 1);
	for (unsigned i = 0; i < 3; i++)
		cell_lives_dropped(lives, LARGE);
	cell_lives_after_scale(lives, 2);
	cr_expect(eq(u64, cell_lives_totals(lives).bytes, 6000));
	cr_expect(eq(u64, cell_lives_at_peak(lives, LARGE, 2), 8));
	/* The next object stands for two. */
	cell_lives_allocated(lives, LARGE, 3 * MS, 2);
	cell_lives_allocated(lives, LARGE, 3 * MS, 2);
	cr_expect(eq(u64, cell_lives_totals(lives).peak_bytes, 10000));
	cr_expect(eq(u64, cell_lives_at_peak(lives, LARGE, 2), 10));
}

Test(cell_lives, lifetimes_are_counted_in_classes)
{
	static const struct {
		uint64_t lifetime_ns;
		unsigned class;
	} cases[] = {
		{ 0, 0 },
		{ 999, 0 },
		{ 1000, 1 },
		{ 3999, 1 },
		{ 4000, 2 },
		{ 14999, 2 },
		{ 15000, 3 },
		{ 59999, 3 },
		{ 60000, 4 },
		{ 249999, 4 },
		{ 250000, 5 },
		{ MS - 1, 5 },
		{ MS, 6 },
		{ 4 * MS, 7 },
		{ 15 * MS, 8 },
		{ 60 * MS, 9 },
		{ 250 * MS, 10 },
		{ 1000 * MS, 11 },
		{ 4000 * MS, 12 },
		{ 15000 * MS, 13 },
		{ 60000 * MS, 14 },
		{ 250000 * MS - 1, 14 },
		{ 250000 * MS, 15 },
		{ 1ULL << 50, 15 },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(CellLives) lives = lives_new();

		allocate(lives, SMALL, 1, 0);
		free_all(lives, SMALL, 1, 1ULL << 51, cases[i].lifetime_ns);
		cr_expect(eq(u32, cell_lives_times(lives, SMALL)->lifetimes[cases[i].class], 1),
			  "%llu", (unsigned long long)cases[i].lifetime_ns);
		cr_expect(eq(u64, cell_lives_life(lives, SMALL)->freed_early,
			     cases[i].lifetime_ns < MS));
	}
}

/* However long the run is, nothing that came or went is missing from its parts. */
Test(cell_lives, parts_of_the_run_grow_with_it)
{
	g_autoptr(CellLives) lives = lives_new();
	uint64_t start_ns, allocated = 0, gone = 0;
	const CellTimes *times;

	for (unsigned second = 0; second < 1000; second++) {
		allocate(lives, SMALL, 2, second * 1000 * MS);
		free_all(lives, SMALL, 1, second * 1000 * MS + MS, MS);
	}
	times = cell_lives_times(lives, SMALL);
	for (unsigned i = 0; i < RUN_PARTS; i++) {
		allocated += times->allocated[i];
		gone += times->gone[i];
	}
	cr_expect(eq(u64, allocated, 2000));
	cr_expect(eq(u64, gone, 1000));
	/* At least half of the parts are used. */
	cr_expect(
		le(u64, cell_lives_part_ns(lives, &start_ns) * (RUN_PARTS / 2), 1000 * 1000 * MS));
	cr_expect(lt(u32, 0, times->allocated[RUN_PARTS / 2 - 1]));
}

Test(cell_lives, cells_without_memory_are_not_counted)
{
	g_autoptr(CellLives) lives = cell_lives_new(sizeof(CellLife) + sizeof(CellTimes));

	cr_expect(eq(u32, cell_lives_grow(lives, 100), 1));
	cr_expect(eq(u32, cell_lives_count(lives), 1));
}

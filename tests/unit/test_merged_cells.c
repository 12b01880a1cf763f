/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/merged_cells.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(merged_cells);

enum { NO_FREER = ORIGIN_ID_NONE };

/* What tells cells apart. */
static const MergedCell keys[] = {
	{ .cell = { .origin = 1, .task = 2 }, .freer = NO_FREER, .age_class = AGE_CLASS_NONE },
	{ .cell = { .origin = 9, .task = 2 }, .freer = NO_FREER, .age_class = AGE_CLASS_NONE },
	{ .cell = { .origin = 1, .task = 9 }, .freer = NO_FREER, .age_class = AGE_CLASS_NONE },
	{ .cell = { .origin = 1, .task = 2, .context = KMT_CONTEXT_SOFTIRQ },
	  .freer = NO_FREER,
	  .age_class = AGE_CLASS_NONE },
	{ .cell = { .origin = 1, .task = 2 }, .freer = 1, .age_class = AGE_CLASS_NONE },
	{ .cell = { .origin = 1, .task = 2 }, .freer = NO_FREER, .age_class = 0 },
};

static void free_cells(MergedCells **cells)
{
	merged_cells_free(*cells);
}

#define OWNED_CELLS __attribute__((cleanup(free_cells))) MergedCells *

static RowSums sums_of(const MergedCells *cells, uint32_t index)
{
	return merged_cells_sums(cells, merged_cells_at(cells, index));
}

/* Adds two sums to one cell. */
static RowSums added(const RowSums *first, const RowSums *second)
{
	OWNED_CELLS cells = merged_cells_new();

	cr_expect(merged_cells_add(cells, &keys[0], first, true));
	cr_expect(merged_cells_add(cells, &keys[0], second, true));
	cr_expect(eq(u32, merged_cells_count(cells), 1));
	return sums_of(cells, 0);
}

Test(merged_cells, counts_failures_and_bytes_add_up)
{
	const RowSums first = { .summary = { .allocations = 3,
					     .failed = 1,
					     .bytes_requested = 30,
					     .bytes_allocated = 48 } };
	const RowSums second = { .summary = { .allocations = 4,
					      .failed = 2,
					      .bytes_requested = 100,
					      .bytes_allocated = 128 } };
	const RowSums sums = added(&first, &second);

	cr_expect(eq(u64, sums.summary.allocations, 7));
	cr_expect(eq(u64, sums.summary.failed, 3));
	cr_expect(eq(u64, sums.summary.bytes_requested, 130));
	cr_expect(eq(u64, sums.summary.bytes_allocated, 176));
}

Test(merged_cells, sums_saturate)
{
	const RowSums most = { .summary = { .allocations = UINT64_MAX - 1,
					    .bytes_allocated = UINT64_MAX } };
	const RowSums sums = added(&most, &most);

	cr_expect(eq(u64, sums.summary.allocations, UINT64_MAX));
	cr_expect(eq(u64, sums.summary.bytes_allocated, UINT64_MAX));
}

Test(merged_cells, variances_of_sampled_runs_add_up)
{
	const RowSums first = { .variance = { 5, 1, 20, 300, 4000 } };
	const RowSums second = { .variance = { 7, 2, 10, 100, 1000 } };
	const RowSums sums = added(&first, &second);

	/* That of a sample is the larger one. */
	cr_expect(eq(dbl, sums.variance.of_sample, 7));
	cr_expect(eq(dbl, sums.variance.allocations, 3));
	cr_expect(eq(dbl, sums.variance.bytes_requested, 30));
	cr_expect(eq(dbl, sums.variance.bytes_allocated, 400));
	cr_expect(eq(dbl, sums.variance.bytes_wasted, 5000));
}

Test(merged_cells, held_sums_add_up_and_ages_are_those_of_the_oldest_and_the_youngest)
{
	const RowSums first = { .held = { .allocated = 10,
					  .freed = 4,
					  .recycled = 1,
					  .peak_objects = 6,
					  .peak_bytes = 600,
					  .oldest_ns = 50,
					  .youngest_ns = 20,
					  .scale = 2,
					  .peak_variance = 1.5 } };
	const RowSums second = { .held = { .allocated = 5,
					   .freed = 5,
					   .doubtful = 2,
					   .peak_objects = 3,
					   .peak_bytes = 30,
					   .oldest_ns = 90,
					   .youngest_ns = 30,
					   .some_ageless = true,
					   .scale = 8,
					   .peak_variance = 2 } };
	const HeldSums sums = added(&first, &second).held;

	cr_expect(eq(u64, sums.allocated, 15));
	cr_expect(eq(u64, sums.freed, 9));
	cr_expect(eq(u64, sums.recycled, 1));
	cr_expect(eq(u64, sums.doubtful, 2));
	cr_expect(eq(u64, sums.peak_objects, 9));
	cr_expect(eq(u64, sums.peak_bytes, 630));
	cr_expect(eq(u64, sums.oldest_ns, 90));
	cr_expect(eq(u64, sums.youngest_ns, 20));
	cr_expect(eq(u64, sums.scale, 8));
	cr_expect(eq(dbl, sums.peak_variance, 3.5));
	cr_expect(sums.some_ageless);
}

Test(merged_cells, what_is_held_in_no_run_has_no_age)
{
	const RowSums freed = { .held = { .allocated = 2, .freed = 2 } };
	const RowSums kept = { .held = { .allocated = 1, .oldest_ns = 7, .youngest_ns = 7 } };

	cr_expect(eq(u64, added(&freed, &freed).held.oldest_ns, 0));
	cr_expect(eq(u64, added(&freed, &kept).held.youngest_ns, 7));
	cr_expect(eq(u64, added(&kept, &freed).held.youngest_ns, 7));
}

Test(merged_cells, values_and_time_spans_add_up_and_the_longest_span_stays)
{
	const RowSums first = {
		.hits = { .value = -30, .value_variance = 1, .time_ns = 50, .time_max_ns = 40 }
	};
	const RowSums second = {
		.hits = { .value = 10, .value_variance = 2, .time_ns = 30, .time_max_ns = 30 }
	};
	const HitSums sums = added(&first, &second).hits;

	cr_expect(eq(i64, sums.value, -20));
	cr_expect(eq(dbl, sums.value_variance, 3));
	cr_expect(eq(u64, sums.time_ns, 80));
	cr_expect(eq(u64, sums.time_max_ns, 40));
}

Test(merged_cells, cells_of_another_origin_task_context_freer_or_age_are_apart)
{
	OWNED_CELLS cells = merged_cells_new();

	for (unsigned turn = 0; turn < 2; turn++)
		for (guint i = 0; i < G_N_ELEMENTS(keys); i++) {
			const RowSums sums = { .summary = { .allocations = i + 1 } };

			cr_expect(merged_cells_add(cells, &keys[i], &sums, true));
		}
	cr_assert(eq(u32, merged_cells_count(cells), G_N_ELEMENTS(keys)));
	for (guint i = 0; i < G_N_ELEMENTS(keys); i++)
		cr_expect(eq(u64, sums_of(cells, i).summary.allocations, 2 * (i + 1)));
}

Test(merged_cells, a_cell_without_held_objects_or_values_has_none_beside_cells_that_have_them)
{
	const RowSums plain = { .summary = { .allocations = 1 } };
	const RowSums all = { .variance = { .allocations = 3 },
			      .held = { .allocated = 4 },
			      .hits = { .value = 5 } };
	OWNED_CELLS cells = merged_cells_new();

	merged_cells_add(cells, &keys[0], &plain, true);
	merged_cells_add(cells, &keys[1], &all, true);
	merged_cells_add(cells, &keys[2], &plain, true);
	for (guint i = 0; i < 3; i++) {
		const RowSums sums = sums_of(cells, i);

		cr_expect(eq(dbl, sums.variance.allocations, i == 1 ? 3 : 0));
		cr_expect(eq(u64, sums.held.allocated, i == 1 ? 4 : 0));
		cr_expect(eq(i64, sums.hits.value, i == 1 ? 5 : 0));
	}
}

Test(merged_cells, a_new_cell_is_refused_on_request_but_known_ones_are_added_to)
{
	const RowSums one = { .summary = { .allocations = 1 } };
	OWNED_CELLS cells = merged_cells_new();
	size_t bytes = merged_cells_memory(cells);

	cr_expect_not(merged_cells_add(cells, &keys[0], &one, false));
	cr_expect(zero(u32, merged_cells_count(cells)));
	cr_expect(merged_cells_add(cells, &keys[0], &one, true));
	cr_expect(lt(sz, bytes, merged_cells_memory(cells)));
	cr_expect(merged_cells_add(cells, &keys[0], &one, false));
	cr_expect_not(merged_cells_add(cells, &keys[1], &one, false));
	cr_expect(eq(u32, merged_cells_count(cells), 1));
	cr_expect(eq(u64, sums_of(cells, 0).summary.allocations, 2));
}

Test(merged_cells, pairs_are_known_unless_cells_are_divided_by_age)
{
	OWNED_CELLS cells = merged_cells_new();

	cr_expect_not(merged_cells_have_pairs(cells));
	cr_expect(eq(ptr, (void *)merged_cells_choice(cells), NULL));
	merged_cells_set_held(cells, &(HeldChoice){ .min_age_ns = 5 });
	cr_expect(merged_cells_have_pairs(cells));
	cr_expect(eq(u64, merged_cells_choice(cells)->min_age_ns, 5));
	merged_cells_set_held(cells, &(HeldChoice){ .by_age = true });
	cr_expect_not(merged_cells_have_pairs(cells));
}

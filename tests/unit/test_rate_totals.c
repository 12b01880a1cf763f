/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rates/rate_totals.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(rate_totals);

#define SECOND_NS 1000000000ULL

static const RateRunCounters nothing;

/* A table without rows, of the second that begins then. Its texts are borrowed. */
static RateTable table_of(uint64_t second)
{
	return (RateTable){
		.start_ns = second * SECOND_NS,
		.end_ns = (second + 1) * SECOND_NS,
		.rows = g_array_new(FALSE, TRUE, sizeof(RateRow)),
		.sampling_period = 1,
	};
}

static void add(RateTable *table, const char *cache, uint64_t allocations, uint64_t held)
{
	RateRow row = {
		.label = cache,
		.name = cache,
		.sums.summary = { .allocations = allocations, .bytes_allocated = 8 * allocations },
		.live = { .frees = allocations / 2, .held = held, .held_bytes = 8 * held },
		.lacks = NEEDS_SLABINFO,
	};

	g_array_append_val(table->rows, row);
}

static void take(RateTotals *totals, RateTable *table)
{
	rate_totals_add(totals, table, &nothing);
	g_array_unref(table->rows);
}

static const RateRow *row_of(const RateTotals *totals, const char *label)
{
	const RateRow *found = NULL;

	for (guint i = 0; i < totals->rows->len; i++) {
		const RateRow *row = &g_array_index(totals->rows, RateRow, i);

		if (!strcmp(row->label, label)) {
			cr_assert_null(found, "%s has two rows", label);
			found = row;
		}
	}
	return found;
}

static bool lacks(const RateTotals *totals, const char *label, MetricNeed need)
{
	return (row_of(totals, label)->lacks & need) != 0;
}

static uint64_t allocations_of(const RateTotals *totals, const char *label)
{
	return row_of(totals, label)->sums.summary.allocations;
}

Test(rate_totals, a_cache_that_vanishes_and_returns_goes_on_where_it_was)
{
	g_autoptr(RateTotals) totals = rate_totals_new();
	RateTable first = table_of(0), second = table_of(1), third = table_of(2);

	add(&first, "filp", 10, 0);
	add(&first, "dentry", 5, 0);
	take(totals, &first);
	add(&second, "dentry", 7, 0);
	take(totals, &second);
	cr_expect(eq(u64, allocations_of(totals, "filp"), 10));
	add(&third, "filp", 3, 0);
	take(totals, &third);
	cr_expect(eq(u64, allocations_of(totals, "filp"), 13));
	cr_expect(eq(u64, allocations_of(totals, "dentry"), 12));
	cr_expect(eq(u64, row_of(totals, "filp")->sums.summary.bytes_allocated, 104));
	cr_expect(eq(u64, row_of(totals, "filp")->live.frees, 6));
	cr_expect(eq(u64, totals->observed_ns, 3 * SECOND_NS));
}

static void add_numbered(RateTable *table, guint from, guint to, GStringChunk *texts)
{
	for (guint i = from; i < to; i++) {
		g_autofree char *name = g_strdup_printf("cache_%u", i);

		add(table, g_string_chunk_insert_const(texts, name), 1, 2);
	}
}

/* Caches that come later must not take the row of one that has it. */
Test(rate_totals, caches_beyond_the_rows_are_one_row_and_the_others_keep_theirs)
{
	g_autoptr(RateTotals) totals = rate_totals_new();
	g_autoptr(GStringChunk) texts = g_string_chunk_new(4096);
	RateTable first = table_of(0), second = table_of(1);

	add_numbered(&first, 500, 1500, texts);
	take(totals, &first);
	cr_expect(eq(u32, totals->rows->len, RATE_TOTALS_ROWS_MAX));
	cr_expect(eq(u64, allocations_of(totals, RATE_TOTALS_OTHER), 1));
	add_numbered(&second, 0, 1500, texts);
	take(totals, &second);
	cr_expect(eq(u32, totals->rows->len, RATE_TOTALS_ROWS_MAX));
	cr_expect(eq(u64, allocations_of(totals, "cache_500"), 2));
	cr_expect(eq(u64, allocations_of(totals, "cache_1498"), 2));
	cr_expect_null(row_of(totals, "cache_1499"));
	cr_expect_null(row_of(totals, "cache_0"));
	cr_expect(eq(u64, allocations_of(totals, RATE_TOTALS_OTHER), 502));
	cr_expect(eq(u64, row_of(totals, RATE_TOTALS_OTHER)->live.held, 1002));
}

/* A cache may have any name, also from a hostile recording. */
Test(rate_totals, a_cache_that_is_called_like_the_others_is_one_of_them)
{
	g_autoptr(RateTotals) totals = rate_totals_new();
	g_autoptr(GStringChunk) texts = g_string_chunk_new(4096);
	RateTable table = table_of(0);

	add(&table, RATE_TOTALS_OTHER, 5, 0);
	add_numbered(&table, 0, RATE_TOTALS_ROWS_MAX, texts);
	take(totals, &table);
	cr_expect(le(u32, totals->rows->len, RATE_TOTALS_ROWS_MAX));
	cr_expect(eq(u64, allocations_of(totals, RATE_TOTALS_OTHER), 7));
}

Test(rate_totals, what_is_held_is_that_of_the_newest_table)
{
	g_autoptr(RateTotals) totals = rate_totals_new();
	RateTable first = table_of(0), second = table_of(1);

	add(&first, "filp", 10, 4);
	add(&first, "dentry", 10, 9);
	take(totals, &first);
	add(&second, "filp", 10, 3);
	take(totals, &second);
	cr_expect(eq(u64, row_of(totals, "filp")->live.held, 3));
	cr_expect(eq(u64, row_of(totals, "filp")->live.held_bytes, 24));
	cr_expect(eq(u64, row_of(totals, "dentry")->live.held, 0));
}

Test(rate_totals, frees_that_became_unknown_stay_unknown_for_caches_without_events_too)
{
	g_autoptr(RateTotals) totals = rate_totals_new();
	RateTable first = table_of(0), second = table_of(1);

	add(&first, "kmalloc-64", 10, 0);
	add(&first, "filp", 10, 0);
	take(totals, &first);
	cr_expect(not(lacks(totals, "kmalloc-64", NEEDS_FREES)));
	second.kfree_is_blind = true;
	take(totals, &second);
	cr_expect(lacks(totals, "kmalloc-64", NEEDS_FREES));
	cr_expect(not(lacks(totals, "filp", NEEDS_FREES)));
}

Test(rate_totals, a_loss_that_was_none_does_not_let_its_counter_fall)
{
	static const LossRange lost[] = { { 10, 12 }, { 8, 9 }, { 11, 14 } };
	g_autoptr(RateTotals) totals = rate_totals_new();

	for (gsize i = 0; i < G_N_ELEMENTS(lost); i++) {
		RateTable table = table_of(i);

		rate_totals_add(totals, &table, &(RateRunCounters){ .events_lost = lost[i] });
		g_array_unref(table.rows);
		cr_expect(eq(u64, totals->events_lost.low, i < 2 ? 10 : 11));
		cr_expect(eq(u64, totals->events_lost.high, i < 2 ? 12 : 14));
	}
}

Test(rate_totals, objects_in_use_are_known_of_caches_without_events_as_well)
{
	g_autoptr(RateTotals) totals = rate_totals_new();
	g_autoptr(GString) text = g_string_new("slabinfo - version: 2.1\nfilp 300 320 256 16 1 : "
					       "tunables 0 0 0 : slabdata 20 20 0\n");
	g_autoptr(Slabinfo) slabinfo = slabinfo_new(text, 4096);
	RateTable first = table_of(0), second = table_of(1);

	add(&first, "filp", 10, 0);
	add(&first, "gone", 10, 0);
	take(totals, &first);
	cr_expect(lacks(totals, "filp", NEEDS_SLABINFO));
	rate_totals_add(totals, &second, &(RateRunCounters){ .slabinfo = slabinfo });
	g_array_unref(second.rows);
	cr_expect(eq(u64, row_of(totals, "filp")->live.objects_in_use, 300));
	cr_expect(not(lacks(totals, "filp", NEEDS_SLABINFO)));
	cr_expect(lacks(totals, "gone", NEEDS_SLABINFO));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/slabs/slab_probes.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(slab_hits);

/* One check: at that time, with so many hits, and this many new records before and after it. */
static SlabHitsState check(SlabHits *hits, uint64_t now_ns, uint64_t counted, unsigned before,
			   unsigned after)
{
	const KprobeCounts counts = { .hits = counted };

	slab_hits_begin(hits, now_ns);
	for (unsigned i = 0; i < before; i++)
		slab_hits_read(hits, now_ns);
	for (unsigned i = 0; i < after; i++)
		slab_hits_read(hits, now_ns + 1);
	return slab_hits_end(hits, &counts);
}

/* Seven hits before the events were enabled. */
static void start(SlabHits *hits)
{
	slab_hits_reset(hits);
	cr_expect_eq(check(hits, 10, 7, 0, 0), SLAB_HITS_PENDING);
	cr_expect_eq(check(hits, 20, 7, 0, 0), SLAB_HITS_PENDING);
	cr_expect_eq(check(hits, 30, 7, 0, 0), SLAB_HITS_ANEW);
}

Test(slab_hits, all_are_read_if_the_difference_stays)
{
	SlabHits hits = { 0 };

	start(&hits);
	cr_expect_eq(check(&hits, 40, 10, 3, 0), SLAB_HITS_READ);
	cr_expect_eq(check(&hits, 50, 12, 2, 1), SLAB_HITS_READ);
	cr_expect_eq(check(&hits, 60, 13, 0, 0), SLAB_HITS_READ, "it was read already");
}

Test(slab_hits, a_dropped_record_is_noticed_and_stays_so)
{
	SlabHits hits = { 0 };

	start(&hits);
	cr_expect_eq(check(&hits, 40, 10, 2, 0), SLAB_HITS_PENDING);
	cr_expect_eq(check(&hits, 50, 10, 0, 0), SLAB_HITS_PENDING);
	cr_expect_eq(check(&hits, 60, 20, 10, 0), SLAB_HITS_PENDING);
	slab_hits_reset(&hits);
	cr_expect_eq(check(&hits, 70, 20, 0, 0), SLAB_HITS_PENDING);
	cr_expect_eq(check(&hits, 80, 20, 0, 0), SLAB_HITS_PENDING);
	cr_expect_eq(check(&hits, 90, 21, 1, 0), SLAB_HITS_ANEW);
	cr_expect_eq(check(&hits, 100, 22, 1, 0), SLAB_HITS_READ);
}

Test(slab_hits, a_later_record_does_not_replace_a_dropped_one)
{
	SlabHits hits = { 0 };

	start(&hits);
	cr_expect_eq(check(&hits, 40, 8, 0, 1), SLAB_HITS_PENDING);
	cr_expect_eq(check(&hits, 50, 9, 0, 0), SLAB_HITS_PENDING);
}

Test(slab_hits, a_record_that_is_still_being_written_is_awaited)
{
	SlabHits hits = { 0 };

	start(&hits);
	cr_expect_eq(check(&hits, 40, 8, 0, 0), SLAB_HITS_PENDING);
	cr_expect_eq(check(&hits, 50, 8, 1, 0), SLAB_HITS_READ);
}

Test(slab_hits, records_being_written_at_the_start_hide_no_loss)
{
	SlabHits hits = { 0 };

	slab_hits_reset(&hits);
	check(&hits, 10, 8, 0, 0);
	check(&hits, 20, 8, 0, 0);
	cr_expect_eq(check(&hits, 30, 8, 0, 0), SLAB_HITS_ANEW);
	cr_expect_eq(check(&hits, 40, 8, 1, 0), SLAB_HITS_READ);
	cr_expect_eq(check(&hits, 50, 9, 0, 0), SLAB_HITS_PENDING);
}

Test(slab_hits, missed_hits_are_reported_once)
{
	SlabHits hits = { 0 };
	const KprobeCounts missed = { .hits = 7, .missed = 2 };

	start(&hits);
	slab_hits_begin(&hits, 40);
	cr_expect_eq(slab_hits_end(&hits, &missed), SLAB_HITS_MISSED);
	slab_hits_begin(&hits, 50);
	cr_expect_eq(slab_hits_end(&hits, &missed), SLAB_HITS_READ);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <criterion/criterion.h>

#include "leaks.h"
#include "made_walks.h"

TEST_SUITE_WITHOUT_LEAKS(stack_walk);

static const Plan usual = { "usual", "1", 20000, 300, 40, 2, 0, 0, SAVES_BP, false, false };

/* What a plan has to reach, or it proves nothing. */
static void expect_all_ways(const Plan *plan)
{
	const struct kmt_walk_counts *counts = walk_counts();

	cr_expect_gt(counts->memo, plan->walks / 40, "%s: %llu memos", plan->name, counts->memo);
	cr_expect_gt(counts->rules, 100, "%s: %llu rules", plan->name, counts->rules);
	cr_expect_gt(counts->kernel, 10, "%s: %llu kernel", plan->name, counts->kernel);
}

static void expect_sound_memos(const Plan *plan)
{
	struct kmt_memos *memos = &kmt_walkers[0]->memos;
	unsigned is_long = 0;

	for (unsigned slot = 0; slot < KMT_MEMO_SLOTS; slot++) {
		const struct kmt_memo *memo = &memos->slots[slot].memo;
		unsigned words = 0;

		is_long += memos->is_tail[slot];
		cr_expect(!memos->is_tail[slot] || slot % 2 == 1, "%s: slot %u", plan->name, slot);
		if (memos->is_tail[slot] || !memo->ip)
			continue;
		cr_assert(memo->parts && memo->parts <= KMT_MEMO_PARTS, "%s: slot %u", plan->name,
			  slot);
		for (unsigned part = 0; part < memo->parts; part++)
			words += memo->part[part].words + memo->part[part].distances;
		cr_expect_eq(words > KMT_MEMO_SLOT_WORDS, slot % 2 == 0 && memos->is_tail[slot + 1],
			     "%s: slot %u: %u words", plan->name, slot, words);
	}
	cr_expect(is_long || plan->calls_max < 30 || (plan->depth && plan->depth < 30),
		  "%s: no long memos", plan->name);
}

Test(stack_walk, finds_what_the_kernel_finds)
{
	const Plan plans[] = {
		usual,
		{ "own BP", "1", 20000, 300, 40, 2, 0, 0, USES_BP, false, false },
		{ "deep", "1", 10000, 100, 110, 1, 0, 0, MOVES_SP, false, false },
		{ "truncated", "1", 10000, 300, 40, 2, 9, 0, SAVES_BP, false, false },
		{ "evicted", "1", 20000, 3000, 40, 2, 0, 0, SAVES_BP, false, false },
		{ "modules", "1", 20000, 100, 40, 2, 0, 2000, SAVES_BP, false, false },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(plans); i++) {
		cr_assert_null(walks_start(&plans[i]));
		walks_run(&plans[i]);
		expect_all_ways(&plans[i]);
		expect_sound_memos(&plans[i]);
		cr_expect_eq(walks.different, 0, "%s: %u", plans[i].name, walks.different);
		cr_expect_eq(walks.not_in_batch, 0, "%s: %u", plans[i].name, walks.not_in_batch);
		walks_end();
	}
}

/* A read outside of the stacks would be a fault. */
Test(stack_walk, damaged_stacks_do_no_harm)
{
	const Plan plans[] = {
		{ "memos", "1", 20000, 100, 40, 2, 0, 0, SAVES_BP, true, false },
		{ "memos, own BP", "1", 20000, 100, 40, 2, 0, 0, USES_BP, true, false },
		{ "rules", "3", 20000, 100, 40, 2, 0, 0, SAVES_BP, true, false },
	};

	for (unsigned i = 0; i < ARRAY_SIZE(plans); i++) {
		cr_assert_null(walks_start(&plans[i]));
		walks_run(&plans[i]);
		cr_expect_gt(walk_counts()->bad_address, 100);
		cr_expect_eq(walks.different, 0, "%s: %u", plans[i].name, walks.different);
		walks_end();
	}
}

/* This shows that the other tests would notice what is remembered for too long. */
Test(stack_walk, code_that_changes_unnoticed_makes_differences)
{
	const Plan plan = { "unawares", "1", 20000, 100, 40, 2, 0, 2000, SAVES_BP, false, true };

	walks_start(&plan);
	walks_run(&plan);
	cr_expect_gt(walks.different, 100);
	walks_end();
}

static unsigned memos_kept(void)
{
	struct kmt_memos *memos = &kmt_walkers[0]->memos;
	unsigned kept = 0;

	for (unsigned slot = 0; slot < KMT_MEMO_SLOTS; slot++)
		kept += memos->is_tail[slot] || memos->slots[slot].memo.ip;
	return kept;
}

/* A memo has too few parts for so many interrupts. */
Test(stack_walk, stacks_without_memo_leave_the_memos_of_others)
{
	const Plan many = { "many", "1", 20000, 3000, 20, 2, 0, 0, SAVES_BP, false, false };
	unsigned kept;
	u64 no_memo;

	walks_start(&many);
	walks_run(&many);
	kept = memos_kept();
	no_memo = walk_counts()->no_memo;
	for (u64 route = 1; route <= 200; route++) {
		make_stack(route, 5, 6, &walks.noise);
		walk_both_ways();
	}
	cr_expect_gt(walk_counts()->no_memo - no_memo, 100);
	cr_expect_eq(memos_kept(), kept);
	cr_expect_gt(kept, KMT_MEMO_SLOTS / 2);
	walks_end();
}

Test(stack_walk, each_walk_can_be_compared)
{
	const Plan plan = { "compare", "2", 2000, 100, 40, 2, 0, 0, SAVES_BP, false, false };
	u64 compared, different;

	walks_start(&plan);
	walks_run(&plan);
	kmt_sum_compared(&compared, &different);
	cr_expect_eq(compared + walk_counts()->kernel, plan.walks);
	cr_expect_eq(different, 0);
	walks_end();
}

Test(stack_walk, without_memory_for_each_cpu_the_kernel_walks)
{
	/* For the rules, and for the first of two CPUs. */
	for (allocations_left = 0; allocations_left < KMT_CPUS + 1;) {
		unsigned allocations = allocations_left;

		cr_expect_str_eq(walks_start(&usual), "no memory");
		cr_expect_eq(kmt_walk.mode, KMT_WALK_KERNEL);
		walks_end();
		allocations_left = allocations + 1;
	}
	cr_expect_null(walks_start(&usual));
	walks_end();
}

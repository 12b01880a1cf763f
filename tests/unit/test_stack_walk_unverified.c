/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The emitter as the tests of the differences build it: memos are taken for right unseen. This
   shows that test_stack_walk.c and the emitter would notice wrong memos. */
#define KMT_UNVERIFIED_MEMOS

#include <criterion/criterion.h>

#include "leaks.h"
#include "made_walks.h"

TEST_SUITE_WITHOUT_LEAKS(stack_walk_unverified);

Test(stack_walk_unverified, wrong_memos_are_noticed)
{
	const Plan plan = { "auto", "1", 2000, 100, 40, 2, 0, 0, SAVES_BP, false, false };

	cr_assert_null(walks_start(&plan));
	walks_run(&plan);
	cr_expect_gt(walks.different, 100);
	walks_end();
}

/* After the first difference the kernel walks. */
Test(stack_walk_unverified, the_emitter_keeps_the_first_difference)
{
	const Plan plan = { "compare", "2", 2000, 100, 40, 2, 0, 0, SAVES_BP, false, false };
	char page[PAGE_SIZE];
	u64 compared, different;

	cr_assert_null(walks_start(&plan));
	walks_run(&plan);
	kmt_sum_compared(&compared, &different);
	cr_expect_eq(different, 1);
	cr_expect_eq(walks.different, 0, "the kernel's walk is taken");
	cr_expect_eq(kmt_walk.mode, KMT_WALK_KERNEL);
	cr_expect_str_eq(kmt_walk.why_not, "a walk differed from the kernel's");
	kmt_walks_parameter->get(page, NULL);
	cr_expect(strstr(page, " different 1 ") && strstr(page, "a memo: the emitter, the kernel:"),
		  "%s", page);
	walks_end();
}

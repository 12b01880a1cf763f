/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/live_run.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(live_run);

/* Reports of 7 units that take at most so long, until that time; each is late. Returns their
   number; all times are multiples. */
static unsigned reports_until(uint64_t end_ns, uint64_t spent_ns)
{
	uint64_t now_ns = 0, due_ns;
	unsigned reports = 0;

	while ((due_ns = live_run_next_report_ns(7, now_ns, reports ? spent_ns : 0)) < end_ns) {
		cr_expect(eq(u64, due_ns % 7, 0));
		cr_expect(lt(u64, now_ns, due_ns));
		now_ns = due_ns + 1 + spent_ns;
		reports++;
	}
	return reports;
}

Test(live_run, reports_are_due_at_fixed_times)
{
	cr_expect(eq(u64, live_run_next_report_ns(7, 0, 0), 7));
	cr_expect(eq(u64, live_run_next_report_ns(7, 6, 0), 7));
	cr_expect(eq(u64, live_run_next_report_ns(7, 7, 0), 14));
	/* However late each one is. */
	cr_expect(eq(uint, reports_until(7000, 0), 999));
	cr_expect(eq(uint, reports_until(7000, 2), 999));
}

Test(live_run, a_report_that_takes_long_leaves_as_much_time_for_the_run)
{
	cr_expect(eq(u64, live_run_next_report_ns(7, 10, 5), 21));
	/* 7, 21, ...: one of two times, then one of three. */
	cr_expect(eq(uint, reports_until(7000, 5), 500));
	cr_expect(eq(uint, reports_until(7000, 7), 333));
}

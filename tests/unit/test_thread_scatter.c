/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/perf/perf_scatter.h"

#include <criterion/criterion.h>
#include <stdint.h>

static void add(ThreadScatter *scatter, uint32_t tid, unsigned events, uint32_t weight)
{
	for (unsigned i = 0; i < events; i++)
		thread_scatter_add(scatter, tid, weight);
}

Test(thread_scatter, threads_with_one_event_each_are_independent_draws)
{
	static ThreadScatter scatter;

	add(&scatter, 7, 1, 4);
	cr_expect_eq(thread_scatter_percent(&scatter), 100);
}

Test(thread_scatter, a_thread_with_n_events_varies_n_times_as_much)
{
	static ThreadScatter scatter;

	add(&scatter, 7, 50, 4);
	cr_expect_eq(thread_scatter_percent(&scatter), 5000);
}

Test(thread_scatter, the_larger_threads_count_more)
{
	/* Rows are chosen by a random seed: two threads may share one. */
	static ThreadScatter apart, together;

	add(&apart, 7, 10, 4);
	add(&apart, 8, 30, 4);
	add(&together, 7, 40, 4);
	cr_expect(thread_scatter_percent(&apart) == (10 * 10 + 30 * 30) * 100 / 40 ||
		  thread_scatter_percent(&apart) == thread_scatter_percent(&together));
}

Test(thread_scatter, what_is_not_sampled_does_not_vary)
{
	static ThreadScatter scatter;

	cr_expect_eq(thread_scatter_percent(&scatter), 100);
	add(&scatter, 7, 50, 1);
	cr_expect_eq(thread_scatter_percent(&scatter), 100);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process/stop_signal.h"

#include <criterion/criterion.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>

static bool is_readable(void)
{
	struct pollfd ready = { .fd = stop_signal_fd(), .events = POLLIN };

	return poll(&ready, 1, 0) == 1;
}

Test(stop_signal, signals_are_noted_until_they_are_taken)
{
	cr_expect_eq(stop_signal_fd(), -1);
	cr_expect_eq(stop_signal_take(), 0);
	stop_signal_catch();
	cr_expect_not(is_readable());
	raise(SIGINT);
	raise(SIGTERM);
	cr_expect(is_readable());
	cr_expect_eq(stop_signal_take(), 2);
	cr_expect_not(is_readable());
}

Test(stop_signal, with_nohup_the_end_of_the_terminal_is_ignored)
{
	signal(SIGHUP, SIG_IGN);
	stop_signal_catch();
	raise(SIGHUP);
	cr_expect_eq(stop_signal_take(), 0);
}

Test(stop_signal, the_first_one_at_the_end_is_noted_and_others_are_ignored)
{
	stop_signal_catch();
	stop_signal_finish();
	raise(SIGHUP);
	cr_expect_not(is_readable());
	raise(SIGINT);
	raise(SIGINT);
	raise(SIGTERM);
	cr_expect_eq(stop_signal_take(), 1);
}

Test(stop_signal, one_that_is_not_taken_at_the_end_is_the_first_one)
{
	stop_signal_catch();
	raise(SIGTERM);
	stop_signal_finish();
	raise(SIGTERM);
	raise(SIGINT);
	cr_expect_eq(stop_signal_take(), 1);
}

Test(stop_signal, a_later_run_catches_them_again)
{
	stop_signal_catch();
	stop_signal_finish();
	raise(SIGINT);
	stop_signal_catch();
	stop_signal_take();
	raise(SIGINT);
	raise(SIGTERM);
	cr_expect_eq(stop_signal_take(), 2);
}

Test(stop_signal, after_one_waits_are_bounded_each_and_together)
{
	const uint64_t second_ns = 1000000000, most_ns = 200000000, all_ns = 500000000;

	stop_signal_catch();
	stop_signal_waited(second_ns);
	cr_expect_eq(stop_signal_patience_ns(second_ns), second_ns);
	raise(SIGINT);
	cr_expect_eq(stop_signal_take(), 1);
	cr_expect(stop_signal_came());
	cr_expect_eq(stop_signal_patience_ns(second_ns), most_ns);
	cr_expect_eq(stop_signal_patience_ns(5), 5);
	stop_signal_waited(all_ns - 7);
	cr_expect_eq(stop_signal_patience_ns(second_ns), 7);
	stop_signal_waited(second_ns);
	cr_expect_eq(stop_signal_patience_ns(second_ns), 0);
	stop_signal_catch();
	cr_expect_not(stop_signal_came());
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tools/watch.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <signal.h>

TEST_SUITE_WITHOUT_LEAKS(watch);

static void expect_finding(const char *report, const char *wanted)
{
	g_autofree char *finding = watch_finding(report);

	cr_expect_str_eq(finding, wanted, "%s", finding);
}

Test(watch, a_verdict_becomes_one_line)
{
	expect_finding("Memory: free 18.0 GiB\n\n"
		       "Verdict: leaky[100] keeps memory in filp: 90 objects/s through\n"
		       "         alloc_empty_file < do_sys_openat2. Freed: 75 of 800.\n"
		       "Next:    stack-top t:kmem:kmalloc -p 100 -d 10\n\n"
		       "Number of filp slab objects held, by process\nleaky:\t725\n",
		       "Verdict: leaky[100] keeps memory in filp: 90 objects/s through "
		       "alloc_empty_file < do_sys_openat2. Freed: 75 of 800.");
}

Test(watch, without_a_verdict_the_largest_holder_is_named)
{
	expect_finding("Memory: free 18.0 GiB\n"
		       "Number of filp slab objects held, by process\n"
		       "leaky:\t725\t139,200 bytes\t100 %\nothers:\t3\n",
		       "leaky: 725 139,200 bytes 100 %");
	expect_finding("Number of filp slab objects held, by process\n", "");
	expect_finding("Nothing left\n", "");
	expect_finding("", "");
}

Test(watch, a_signal_ends_a_wait)
{
	sigset_t signals;

	sigemptyset(&signals);
	sigaddset(&signals, SIGTERM);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	cr_expect_not(watch_wait(0, &signals));
	cr_expect_not(watch_wait(0.01, &signals));
	raise(SIGTERM);
	cr_expect(watch_wait(1000, &signals));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rates/net_check.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(net_check);

enum { CPUS = 2, OF_A_SLAB = 16, PAGE_BYTES = 4096 };

/* What CPUs may hold ready: as net_check.c has it. */
enum { READY = OF_A_SLAB * 8 * CPUS + 1024 };

static Slabinfo *reading(uint64_t in_use)
{
	g_autoptr(GString) text = g_string_new(NULL);

	g_string_printf(text,
			"maple_node %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
			" 256 %d 1 : tunables 0 0 0 : slabdata 10 10 0\n",
			in_use, in_use, OF_A_SLAB);
	return slabinfo_new(text, PAGE_BYTES);
}

/* Returns the verdict on a cache that had 1,000 objects. */
static NetVerdict verdict_of(uint64_t allocations, uint64_t frees, uint64_t in_use,
			     uint64_t events_lost)
{
	g_autoptr(NetCheck) check = net_check_new(CPUS);
	g_autoptr(Slabinfo) now = reading(in_use);
	const NetReading later = { .slabinfo = now, .events_lost = events_lost };

	net_check_set_start(check, reading(1000));
	net_check_count(check, "maple_node", allocations, frees);
	net_check_judge(check, &later);
	return net_check_verdict(check, "maple_node");
}

Test(net_check, a_cache_that_does_not_grow_has_frees_that_nobody_saw)
{
	cr_assert(eq(int, verdict_of(12944, 0, 1000, 0), NET_CONTRADICTED));
	cr_assert(eq(int, verdict_of(12944, 5000, 1000, 0), NET_CONTRADICTED));
	/* Few, but more than the CPUs' own slabs take. */
	cr_assert(eq(int, verdict_of(OF_A_SLAB * CPUS + 1, 0, 1000, 0), NET_CONTRADICTED));
	cr_assert(eq(int, verdict_of(OF_A_SLAB * CPUS, 0, 1000, 0), NET_UNCONFIRMED));
}

Test(net_check, a_leak_is_confirmed)
{
	cr_assert(eq(int, verdict_of(12944, 0, 1000 + 12944, 0), NET_CONFIRMED));
	cr_assert(eq(int, verdict_of(50000, 40000, 1000 + 10000 - READY, 0), NET_CONFIRMED));
	cr_assert(eq(int, verdict_of(50000, 40000, 1000 + 10000 - READY - 1, 0), NET_CONTRADICTED));
}

Test(net_check, growth_that_was_not_traced_contradicts_too)
{
	cr_assert(eq(int, verdict_of(100, 5000, 1000, 0), NET_CONTRADICTED));
}

Test(net_check, what_was_lost_may_be_the_difference)
{
	cr_assert(eq(int, verdict_of(5000, 1000, 1000, 4000), NET_CONFIRMED));
}

Test(net_check, a_reading_that_comes_late_has_what_happened_meanwhile)
{
	g_autoptr(NetCheck) check = net_check_new(CPUS);
	g_autoptr(Slabinfo) now = reading(1000);
	NetReading late = { .slabinfo = now, .lag = 0.5 };

	net_check_set_start(check, reading(1000));
	net_check_count(check, "maple_node", 10000, 7000);
	net_check_judge(check, &late);
	cr_assert(eq(int, net_check_verdict(check, "maple_node"), NET_CONFIRMED));
	late.lag = 0;
	net_check_judge(check, &late);
	cr_assert(eq(int, net_check_verdict(check, "maple_node"), NET_CONTRADICTED));
}

/* Counts an interval, and judges by a reading of so many objects made a little after it. */
static NetVerdict after(NetCheck *check, uint64_t allocations, uint64_t frees, uint64_t in_use)
{
	g_autoptr(Slabinfo) now = reading(in_use);
	const NetReading late = { .slabinfo = now, .lag = 0.1 };

	if (allocations || frees)
		net_check_count(check, "maple_node", allocations, frees);
	net_check_judge(check, &late);
	return net_check_verdict(check, "maple_node");
}

static NetCheck *confirmed(void)
{
	NetCheck *check = net_check_new(CPUS);

	net_check_set_start(check, reading(1000));
	cr_assert(eq(int, after(check, 100, 90, 1010), NET_CONFIRMED));
	return check;
}

/* A burst between the end of an interval and the reading is seen in the next interval. */
Test(net_check, the_next_events_may_explain_a_late_reading)
{
	g_autoptr(NetCheck) check = confirmed();

	cr_assert(eq(int, after(check, 100, 90, 9000), NET_CONFIRMED));
	cr_assert(eq(int, after(check, 8000, 10, 9010), NET_CONFIRMED));
	cr_assert(eq(int, after(check, 10, 8000, 1020), NET_CONFIRMED));
}

Test(net_check, what_the_next_events_do_not_explain_contradicts)
{
	g_autoptr(NetCheck) check = confirmed();
	g_autoptr(NetCheck) without = confirmed();

	cr_assert(eq(int, after(check, 100, 90, 9000), NET_CONFIRMED));
	cr_assert(eq(int, after(check, 100, 90, 9000), NET_CONTRADICTED));
	cr_assert(eq(int, after(check, 100, 90, 9000), NET_CONTRADICTED));
	cr_assert(eq(int, after(without, 100, 90, 9000), NET_CONFIRMED));
	cr_assert(eq(int, after(without, 0, 0, 9000), NET_CONTRADICTED));
}

Test(net_check, without_a_reading_only_frees_that_are_seen_confirm)
{
	g_autoptr(NetCheck) check = net_check_new(CPUS);
	const NetReading none = { .slabinfo = NULL };

	net_check_count(check, "filp", 10, 1);
	net_check_count(check, "maple_node", 10, 0);
	net_check_judge(check, &none);
	cr_assert(eq(int, net_check_verdict(check, "filp"), NET_CONFIRMED));
	cr_assert(eq(int, net_check_verdict(check, "maple_node"), NET_UNCONFIRMED));
}

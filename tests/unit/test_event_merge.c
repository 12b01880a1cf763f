/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "held/event_merge.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(event_merge);

enum { SOME = 64 };

static void put(EventMerge *merge, uint16_t cpu, uint64_t time_ns)
{
	const WaitingEvent event = { .time_ns = time_ns, .cpu = cpu, .pointer = time_ns };

	event_merge_put(merge, &event);
}

/* Of one time, the lowest CPU comes first. */
static bool is_sorted(const WaitingEvent *a, const WaitingEvent *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->cpu <= b->cpu);
}

/* Puts random events of several CPUs and takes them in parts. */
static void check_order(uint32_t seed, guint cpus)
{
	enum { ROUNDS = 200, ROUND_NS = 1000 };
	g_autoptr(EventMerge) merge = event_merge_new();
	GRand *random = g_rand_new_with_seed(seed);
	WaitingEvent last = { .time_ns = 0 };
	uint64_t time_ns[SOME] = { 0 };
	uint64_t added = 0, taken = 0;

	for (uint64_t round = 1; round <= ROUNDS; round++) {
		WaitingEvent events[SOME];
		unsigned count;
		guint first = (guint)g_rand_int_range(random, 0, (gint32)cpus);

		for (guint i = 0; i < cpus; i++) {
			guint cpu = (first + i) % cpus;

			/* Some CPUs are ahead of others. */
			while (time_ns[cpu] < round * ROUND_NS) {
				time_ns[cpu] += (uint64_t)g_rand_int_range(random, 0, 400);
				put(merge, (uint16_t)(cpu * 7), time_ns[cpu]);
				added++;
			}
		}
		while ((count = event_merge_take(merge, round * ROUND_NS, events, SOME))) {
			for (unsigned i = 0; i < count; i++) {
				cr_assert(is_sorted(&last, &events[i]));
				cr_assert(lt(u64, events[i].time_ns, round * ROUND_NS));
				last = events[i];
			}
			taken += count;
		}
		cr_assert(eq(sz, event_merge_count(merge), added - taken));
		if (round % 16 == 0)
			event_merge_trim(merge);
	}
	g_rand_free(random);
	cr_expect(lt(u64, ROUNDS * cpus, taken));
}

Test(event_merge, events_of_all_cpus_come_in_order)
{
	const guint cpus[] = { 1, 2, 3, 8, 13, 64 };

	for (uint32_t i = 0; i < G_N_ELEMENTS(cpus); i++)
		check_order(i + 1, cpus[i]);
}

Test(event_merge, the_order_of_equal_times_is_that_of_the_cpus)
{
	g_autoptr(EventMerge) merge = event_merge_new();
	WaitingEvent events[SOME];

	put(merge, 9, 5);
	put(merge, 9, 7);
	put(merge, 4, 7);
	put(merge, 6, 7);
	cr_assert(eq(u32, event_merge_take(merge, 8, events, SOME), 4));
	cr_expect(eq(u32, events[0].cpu, 9));
	cr_expect(eq(u32, events[1].cpu, 4));
	cr_expect(eq(u32, events[2].cpu, 6));
	cr_expect(eq(u32, events[3].cpu, 9));
}

Test(event_merge, an_event_of_a_nested_interrupt_is_put_in_order)
{
	g_autoptr(EventMerge) merge = event_merge_new();
	WaitingEvent events[SOME];

	put(merge, 0, 100);
	put(merge, 0, 110);
	put(merge, 0, 105);
	cr_assert(eq(u32, event_merge_take(merge, UINT64_MAX, events, SOME), 3));
	cr_expect(eq(u64, events[1].pointer, 105));
	cr_expect(eq(u64, events[2].pointer, 110));
}

Test(event_merge, impossible_times_do_not_stay)
{
	g_autoptr(EventMerge) merge = event_merge_new();
	WaitingEvent events[SOME];

	put(merge, 1, UINT64_MAX);
	put(merge, 2, UINT64_MAX);
	cr_expect(eq(u32, event_merge_take(merge, UINT64_MAX, events, SOME), 2));
	cr_expect(zero(sz, event_merge_count(merge)));
}

Test(event_merge, memory_that_is_not_used_is_given_back)
{
	g_autoptr(EventMerge) merge = event_merge_new();
	WaitingEvent events[SOME];
	size_t before;

	for (uint64_t i = 0; i < 100000; i++)
		put(merge, 3, i);
	before = event_merge_memory(merge);
	cr_expect(ge(sz, before, 100000 * sizeof(WaitingEvent)));
	cr_expect(le(sz, before, 160000 * sizeof(WaitingEvent)));
	while (event_merge_take(merge, UINT64_MAX, events, SOME))
		;
	event_merge_trim(merge);
	cr_expect(lt(sz, event_merge_memory(merge), 1000));
}

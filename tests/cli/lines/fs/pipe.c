/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code whose lines are looked for: nothing runs it. */
#include <linux/pool.h>

#define COUNTER_NAME count_slow
#define COUNTER_STEP 3
#include <linux/counter.inc>
#define COUNTER_NAME count_fast
#define COUNTER_STEP 5
#include <linux/counter.inc>

long pipes;
long users[8];

void pipe_report(const char *what, long number);
long pipe_fill(long *ring, long count);

/* The compiler moves the calls of this one out of the way (pipe_open.cold). */
static __attribute__((cold, noinline, noreturn)) void give_up(const char *why)
{
	pipe_report(why, pipes);
	for (;;)
		pipe_report(why, -1);
}

static __attribute__((noinline)) long *ring_new(long count)
{
	long *ring = pool_take_zeroed((unsigned long)count * sizeof(*ring));

	if (!ring)
		give_up("no ring");
	for (long i = 0; i < count; i++) {
		long seed = i * 7 + count;

		if (seed & 1) {
			long odd = pool_sum(users, seed & 7);

			ring[i] = odd;
		} else {
			ring[i] = count_fast(&pipes, seed);
		}
	}
	return ring;
}

long *pipe_open(long count)
{
	long *pair[2];
	long *ring;

	if (count < 0) {
		pipe_report("negative", count);
		give_up("count");
	}
	if (!pool_take_pair((unsigned long)count, pair))
		give_up("no pair");
	ring = ring_new(count);
	ring[0] = count_slow(&pipes, 1);
	ring[1] = count_slow(&users[count & 7], pair[0][0]);
	return ring;
}

long pipe_write(long *ring, long count)
{
	long done = pipe_fill(ring, count);

	if (done < count)
		done += pool_sum(ring, count - done);
	return done;
}

long pipe_kind(long kind)
{
	switch (kind) {
	case 0:
		return pipe_write(users, 4);
	case 1:
		return (long)pipe_open(3);
	case 2:
		pipe_report("two", 2);
		return 12;
	case 3:
		return pool_sum(users, 8);
	default:
		__builtin_unreachable();
	}
}

/* What the kernel discards after the start is in a section of its own. */
__attribute__((section(".init.text"))) long pipe_init(void)
{
	long *ring = pool_take_zeroed(sizeof(users));

	return count_slow(ring, 2);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The second unit: the linker may inline these functions into those of pipe.c. */
#include <linux/pool.h>

extern long pipes;
extern long *pipe_open(long count);
extern long pipe_kind(long kind);

static char memory[65536];
static unsigned long used;

__attribute__((noinline)) void *pool_alloc(unsigned long bytes, unsigned flags)
{
	char *start = memory + used;

	if (bytes + used > sizeof(memory))
		return 0;
	used += bytes;
	for (unsigned long i = 0; (flags & 1) && i < bytes; i++) {
		start[i] = 0;
		/* No call of memset(): there is no library. */
		__asm__ volatile("" : : "r"(start) : "memory");
	}
	return start;
}

void pipe_report(const char *what, long number)
{
	long *copy = pool_take(32, 2);

	copy[0] = (long)what;
	copy[1] = number;
	pipes += copy[0] > copy[1];
}

long pipe_fill(long *ring, long count)
{
	long done = 0;

	while (done < count && ring[done]) {
		long next = ring[done] ^ done;

		ring[done++] = next;
	}
	return done;
}

int main(int argc, char **argv)
{
	long *ring = pipe_open(argc);

	(void)argv;
	return (int)(pipe_kind(ring[1] & 3) + pipe_fill(ring, argc));
}

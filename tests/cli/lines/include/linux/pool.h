/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that are inlined into those of the other files, several levels deep. */
#pragma once

/* Allocates, like __kmalloc() of the kernel. */
void *pool_alloc(unsigned long bytes, unsigned flags);

static inline __attribute__((always_inline)) void *pool_take(unsigned long bytes, unsigned flags)
{
	if (bytes > 4096)
		return pool_alloc(bytes * 2, flags | 4);
	return pool_alloc(bytes, flags);
}

static inline __attribute__((always_inline)) void *pool_take_zeroed(unsigned long bytes)
{
	return pool_take(bytes, 1);
}

/* Two calls of one function are inlined into one. */
static inline __attribute__((always_inline)) long pool_take_pair(unsigned long bytes, long **pair)
{
	pair[0] = pool_take_zeroed(bytes);
	pair[1] = pool_take_zeroed(bytes + 8);
	return pair[0] && pair[1];
}

static inline long pool_sum(const long *from, long count)
{
	long sum = 0;

	for (long i = 0; i < count; i++) {
		long square = from[i] * from[i];

		sum += square ^ i;
	}
	return sum;
}

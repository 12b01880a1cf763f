/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * Sums of what a recording says: a number that would not fit into 64 bits becomes the largest one,
 * which stands for "too large". Reports say when they show such a number.
 */

static inline uint64_t saturate_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

static inline uint64_t saturate_product(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static inline void saturate_add(uint64_t *sum, uint64_t added)
{
	*sum = saturate_sum(*sum, added);
}

/* Returns the number, or the largest one with a sign. */
static inline int64_t saturate_signed(uint64_t number)
{
	return number > INT64_MAX ? INT64_MAX : (int64_t)number;
}

static inline int64_t saturate_signed_sum(int64_t a, int64_t b)
{
	int64_t sum;

	if (!__builtin_add_overflow(a, b, &sum))
		return sum;
	return a < 0 ? -INT64_MAX : INT64_MAX;
}

/* Returns a - b, or the largest difference. */
static inline int64_t saturate_difference(uint64_t a, uint64_t b)
{
	return a >= b ? saturate_signed(a - b) : -saturate_signed(b - a);
}

/* The same of a double that has been rounded. */
static inline uint64_t saturate_double(double value)
{
	if (!(value > 0))
		return 0;
	return value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
}

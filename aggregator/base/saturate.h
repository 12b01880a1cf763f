/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdint.h>

/*
 * Saturating sums of numbers from a recording: a result above 64 bits becomes the maximum, which
 * means "too large". Reports mark such numbers.
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

/* Returns the number, at most INT64_MAX. */
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

/* Returns a - b, limited to the range of INT64_MAX. */
static inline int64_t saturate_difference(uint64_t a, uint64_t b)
{
	return a >= b ? saturate_signed(a - b) : -saturate_signed(b - a);
}

/* Returns a rounded double as an integer from 0 to UINT64_MAX. */
static inline uint64_t saturate_double(double value)
{
	if (!(value > 0))
		return 0;
	return value >= 0x1p64 ? UINT64_MAX : (uint64_t)value;
}

/* Returns a * b, limited to the range of INT64_MAX. */
static inline int64_t saturate_signed_product(int64_t a, int64_t b)
{
	int64_t product;

	if (!__builtin_mul_overflow(a, b, &product))
		return product;
	return (a < 0) == (b < 0) ? INT64_MAX : -INT64_MAX;
}

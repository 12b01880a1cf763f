/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * Sums and products. They return false if the result needs more than 64 bits. GLib before 2.71 has
 * such functions that gcc 5 and later compile wrongly with -O2: they write a guint64, an unsigned
 * long, through a pointer to unsigned long long.
 */
static inline bool checked_sum(uint64_t *sum, uint64_t a, uint64_t b)
{
	*sum = a + b;
	return *sum >= a;
}

static inline bool checked_product(uint64_t *product, uint64_t a, uint64_t b)
{
#if __GNUC__ >= 5
	return !__builtin_mul_overflow(a, b, product);
#else
	*product = a * b;
	return !a || *product / a == b;
#endif
}

/*
 * Saturating sums of numbers from a recording: a result above 64 bits becomes the maximum, which
 * means "too large". Reports mark such numbers.
 */

static inline uint64_t saturate_sum(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return checked_sum(&sum, a, b) ? sum : UINT64_MAX;
}

static inline uint64_t saturate_product(uint64_t a, uint64_t b)
{
	uint64_t product;

	return checked_product(&product, a, b) ? product : UINT64_MAX;
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
	if (b > 0 ? a > INT64_MAX - b : a < INT64_MIN - b)
		return a < 0 ? -INT64_MAX : INT64_MAX;
	return a + b;
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

static inline uint64_t magnitude(int64_t number)
{
	return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

/* Returns a * b, limited to the range of INT64_MAX. */
static inline int64_t saturate_signed_product(int64_t a, int64_t b)
{
	uint64_t product = saturate_product(magnitude(a), magnitude(b));

	if ((a < 0) == (b < 0))
		return saturate_signed(product);
	return product > (uint64_t)INT64_MAX + 1 ? -INT64_MAX : (int64_t)-product;
}

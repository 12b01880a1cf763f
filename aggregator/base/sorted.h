/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/*
 * Returns how many elements of an array have at most this key; the array is sorted by the key, a
 * member of 64 bits. That is also the position of the first element with a larger key.
 */
static inline guint sorted_until(const GArray *array, size_t element_bytes, size_t member,
				 uint64_t key)
{
	guint low = 0, high = array->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const void *found = array->data + middle * element_bytes + member;

		if (*(const uint64_t *)found <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* A key of another size does not compile. */
#define SORTED_BY_64_BITS(Type, member) (sizeof(((Type *)NULL)->member) == sizeof(uint64_t))
#define SORTED_UNTIL(array, Type, member, key)                                                     \
	sorted_until(array,                                                                        \
		     sizeof(Type) + 0 * sizeof(char[SORTED_BY_64_BITS(Type, member) ? 1 : -1]),    \
		     offsetof(Type, member), key)

/* For g_ptr_array_sort(): texts by their bytes. */
static inline gint sorted_compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* For qsort(). */
static inline int sorted_compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Returns the median of the numbers, which it sorts; of an even count the upper one of both in the
   middle. count is at least 1. */
static inline int64_t median_of_numbers(int64_t *numbers, unsigned count)
{
	qsort(numbers, count, sizeof(*numbers), sorted_compare_numbers);
	return numbers[count / 2];
}

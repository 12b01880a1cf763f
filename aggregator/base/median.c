/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The median of a few measurements, by sorting. The costs of perf events and of probe points use
 * it, because one of their measurements may be disturbed by the host.
 */
#include "base/median.h"

#include <stdlib.h>

static int compare_numbers(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int64_t median_of_numbers(int64_t *numbers, unsigned count)
{
	qsort(numbers, count, sizeof(*numbers), compare_numbers);
	return numbers[count / 2];
}

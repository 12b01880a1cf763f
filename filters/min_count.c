/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -m: keeps rows by the number of allocations. State: the number. filter_types.c has it in its
 * table; table/filter_chain.c asks it.
 */
#include "filter_kinds.h"

#include "number.h"

static bool min_count_prepare(Filter *filter, GError **error)
{
	uint64_t *minimum = g_new0(uint64_t, 1);
	const char *rest;

	filter->state = minimum;
	if (number_parse(filter->argument, minimum, &rest) && !*rest)
		return true;
	g_set_error(error, filter_error_quark(), 0, "'%s' is not a whole number", filter->argument);
	return false;
}

static bool min_count_keeps(const Filter *filter, const StackSummary *stack)
{
	return stack->allocations >= *(const uint64_t *)filter->state;
}

const FilterType min_count_filter = {
	.option = "min-count",
	.prepare = min_count_prepare,
	.keeps = min_count_keeps,
	.dispose = g_free,
};

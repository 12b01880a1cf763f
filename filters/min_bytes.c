/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --min-bytes: keeps rows by the bytes allocated. State: the number. filter_types.c has it in its
 * table; table/filter_chain.c asks it.
 */
#include "filter_kinds.h"

#include "number.h"

static bool min_bytes_prepare(Filter *filter, GError **error)
{
	uint64_t *minimum = g_new0(uint64_t, 1);

	filter->state = minimum;
	if (number_parse_bytes(filter->argument, minimum))
		return true;
	g_set_error(error, filter_error_quark(), 0,
		    "'%s' is not a size: use a whole number, optionally followed by K, M or G",
		    filter->argument);
	return false;
}

static bool min_bytes_keeps(const Filter *filter, const StackSummary *stack)
{
	return stack->bytes_allocated >= *(const uint64_t *)filter->state;
}

const FilterType min_bytes_filter = {
	.option = "min-bytes",
	.prepare = min_bytes_prepare,
	.keeps = min_bytes_keeps,
	.dispose = g_free,
};

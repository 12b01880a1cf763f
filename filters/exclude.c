/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -e: drops a stack with any of the listed texts in a frame. State: the list. filter_types.c has it
 * in its table; table/filter_chain.c asks it.
 */
#include "filter_kinds.h"

#include "item_list.h"

static bool exclude_matches(const Filter *filter, const char *line)
{
	return item_list_occurs(filter->state, line);
}

const FilterType exclude_filter = {
	.option = "exclude",
	.prepare = item_list_prepare,
	.matches = exclude_matches,
	.drops_matches = true,
	.dispose = item_list_dispose,
};

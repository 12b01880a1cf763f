/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -I: keeps a stack with any of the listed texts in a frame. State: the list. filter_types.c has it
 * in its table; table/filter_chain.c asks it.
 */
#include "filter_kinds.h"

#include "item_list.h"

/* A list without items keeps everything. */
static bool include_matches(const Filter *filter, const char *line)
{
	char *const *items = filter->state;

	return !*items || item_list_occurs(items, line);
}

const FilterType include_filter = {
	.option = "include",
	.prepare = item_list_prepare,
	.matches = include_matches,
	.dispose = item_list_dispose,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -e: drops a stack with any of the listed texts in a frame. State: the list. filter_types.c has it
 * in its table; table/filter_chain.c asks it.
 */
#include "filter_kinds.h"

#include "item_list.h"

static bool exclude_prepare(Filter *filter, GError **error)
{
	(void)error; /* every text is a valid list */
	filter->state = item_list_parse(filter->argument);
	return true;
}

static bool exclude_matches(const Filter *filter, const char *line)
{
	return item_list_occurs(filter->state, line);
}

static void exclude_dispose(void *state)
{
	g_strfreev(state);
}

const FilterType exclude_filter = {
	.option = "exclude",
	.prepare = exclude_prepare,
	.matches = exclude_matches,
	.drops_matches = true,
	.dispose = exclude_dispose,
};

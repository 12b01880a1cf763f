/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * -I: keeps a stack with any of the listed texts in a frame. State: the list. filter_types.c has it
 * in its table; table/filter_chain.c asks it.
 */
#include "filter_kinds.h"

#include "item_list.h"

static bool include_prepare(Filter *filter, GError **error)
{
	(void)error; /* every text is a valid list */
	filter->state = item_list_parse(filter->argument);
	return true;
}

/* A list without items keeps everything. */
static bool include_matches(const Filter *filter, const char *line)
{
	char *const *items = filter->state;

	return !*items || item_list_occurs(items, line);
}

static void include_dispose(void *state)
{
	g_strfreev(state);
}

const FilterType include_filter = {
	.option = "include",
	.prepare = include_prepare,
	.matches = include_matches,
	.dispose = include_dispose,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/view.h"

static uint64_t allocations(const StackSummary *summary)
{
	return summary->allocations;
}

static uint64_t bytes_allocated(const StackSummary *summary)
{
	return summary->bytes_allocated;
}

static uint64_t bytes_requested(const StackSummary *summary)
{
	return summary->bytes_requested;
}

static uint64_t bytes_wasted(const StackSummary *summary)
{
	return summary->bytes_allocated > summary->bytes_requested
		       ? summary->bytes_allocated - summary->bytes_requested
		       : 0;
}

static double variance_of_allocations(const Variance *variance)
{
	return variance->allocations;
}

static double variance_of_allocated(const Variance *variance)
{
	return variance->bytes_allocated;
}

static double variance_of_requested(const Variance *variance)
{
	return variance->bytes_requested;
}

static double variance_of_wasted(const Variance *variance)
{
	return variance->bytes_wasted;
}

const SortKey sort_keys[] = {
	{ "count", "allocations", allocations, variance_of_allocations },
	{ "bytes", "bytes allocated", bytes_allocated, variance_of_allocated },
	{ "requested", "bytes requested", bytes_requested, variance_of_requested },
	{ "waste", "bytes allocated but not requested", bytes_wasted, variance_of_wasted },
	{ NULL, NULL, NULL, NULL },
};

const SortKey *view_sort_key(const ViewOptions *options)
{
	return options->sort ? options->sort : &sort_keys[0];
}

const SortKey *sort_key_lookup(const char *name)
{
	for (const SortKey *key = sort_keys; key->name; key++)
		if (g_str_equal(key->name, name))
			return key;
	return NULL;
}

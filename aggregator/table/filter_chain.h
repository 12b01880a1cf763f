/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "filter.h"
#include "table/stack_rows.h"

#include <glib.h>

/*
 * A FilterChain asks filters in the order of their types, and keeps the account of what each one
 * took away; what is beyond the top is its last entry.
 */
typedef struct FilterChain FilterChain;

/* What a filter (or the cut to the top) took away. */
typedef struct {
	const char *option;   /* "exclude" */
	const char *argument; /* as given; of the top: its number */
	uint64_t rows;        /* stacks, or rows of a table */
	uint64_t allocations;
} FilterDrop;

/* Which filters a chain has: those on frames, which stacks have, or those on numbers. */
typedef enum { FILTERS_ALL, FILTERS_OF_FRAMES, FILTERS_OF_NUMBERS } FilterPart;

/* filters (element-type Filter) may be NULL; they are borrowed. */
FilterChain *filter_chain_new(const GPtrArray *filters, FilterPart part);
void filter_chain_free(FilterChain *chain);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FilterChain, filter_chain_free)

/* Enters a row for the cut to the top, as the last one. */
void filter_chain_add_top(FilterChain *chain, uint64_t top);

/* Whether there is any filter. */
bool filter_chain_filters(const FilterChain *chain);

/* Whether a stack stays: that row of stacks, which are the same ones in each call. What does not is
   charged to the first filter that drops it. */
bool filter_chain_keeps_stack(FilterChain *chain, const StackSummary *sums, const StackRows *stacks,
			      uint32_t row);

/* Whether a row of a table stays, likewise; for a chain that has no filters on frames. */
bool filter_chain_keeps(FilterChain *chain, const StackSummary *sums);

/* Charges a row to the cut to the top. */
void filter_chain_cut(FilterChain *chain, const StackSummary *row);

/* Returns the account (element-type FilterDrop), one entry per filter, then the top's; borrowed. */
const GArray *filter_chain_drops(const FilterChain *chain);

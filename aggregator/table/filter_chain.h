/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "filter.h"
#include "table/stack_rows.h"

#include <glib.h>

/*
 * A FilterChain applies filters in the order of their types and counts what each filter drops. The
 * rows below the top are its last entry.
 */
typedef struct FilterChain FilterChain;

/* What a filter (or the limit to the top rows) dropped. */
typedef struct {
	const char *option;   /* "exclude" */
	const char *argument; /* as given; for the top: its number */
	uint64_t rows;        /* stacks, or rows of a table */
	uint64_t allocations;
} FilterDrop;

/* The filters of a chain: all, those on frames (stacks only), or those on numbers. */
typedef enum { FILTERS_ALL, FILTERS_OF_FRAMES, FILTERS_OF_NUMBERS } FilterPart;

/* filters (element-type Filter) may be NULL; they are borrowed. The limit to the top rows is the
   last entry, as it belongs to the numbers: those of frames have none. */
FilterChain *filter_chain_new(const GPtrArray *filters, FilterPart part, uint64_t top);
void filter_chain_free(FilterChain *chain);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FilterChain, filter_chain_free)

/* Whether the chain has any filter. */
bool filter_chain_filters(const FilterChain *chain);

/* Whether the stack in that row of stacks (the same in each call) stays. A dropped stack is charged
   to the first filter that drops it. */
bool filter_chain_keeps_stack(FilterChain *chain, const StackSummary *sums, const StackRows *stacks,
			      uint32_t row);

/* Like filter_chain_keeps_stack(), for a row of a table; for chains without filters on frames. */
bool filter_chain_keeps(FilterChain *chain, const StackSummary *sums);

/* Charges a row to the limit to the top rows. */
void filter_chain_cut(FilterChain *chain, const StackSummary *row);

/* Returns the drops (element-type FilterDrop): one per filter, then the top; borrowed. */
const GArray *filter_chain_drops(const FilterChain *chain);

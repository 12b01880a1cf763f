/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/filter_chain.h"

struct FilterChain {
	GPtrArray *filters; /* (element-type Filter), owned; the filters are borrowed */
	GArray *drops;      /* (element-type FilterDrop), owned */
	char *top;
};

static void add_drop(FilterChain *chain, const char *option, const char *argument)
{
	const FilterDrop drop = { .option = option, .argument = argument };

	g_array_append_val(chain->drops, drop);
}

static void count_drop(FilterChain *chain, guint index, const StackSummary *row)
{
	FilterDrop *drop = &g_array_index(chain->drops, FilterDrop, index);

	drop->rows++;
	drop->allocations += row->allocations;
}

static bool is_of(const Filter *filter, FilterPart part)
{
	return part == FILTERS_ALL || filter->type->numbers_only == (part == FILTERS_OF_NUMBERS);
}

FilterChain *filter_chain_new(const GPtrArray *filters, FilterPart part)
{
	FilterChain *chain = g_new0(FilterChain, 1);

	chain->filters = g_ptr_array_new();
	chain->drops = g_array_new(FALSE, FALSE, sizeof(FilterDrop));
	for (const FilterType *const *type = filter_types; *type; type++)
		for (guint i = 0; filters && i < filters->len; i++) {
			Filter *filter = g_ptr_array_index(filters, i);

			if (filter->type != *type || !is_of(filter, part))
				continue;
			g_ptr_array_add(chain->filters, filter);
			add_drop(chain, filter->type->option, filter->argument);
		}
	return chain;
}

void filter_chain_free(FilterChain *chain)
{
	if (!chain)
		return;
	g_ptr_array_unref(chain->filters);
	g_array_unref(chain->drops);
	g_free(chain->top);
	g_free(chain);
}

void filter_chain_add_top(FilterChain *chain, uint64_t top)
{
	g_assert(!chain->top);
	chain->top = g_strdup_printf("%" G_GUINT64_FORMAT, top);
	add_drop(chain, "top", chain->top);
}

bool filter_chain_filters(const FilterChain *chain)
{
	return chain->filters->len > 0;
}

bool filter_chain_keeps(FilterChain *chain, const StackSummary *row)
{
	for (guint i = 0; i < chain->filters->len; i++) {
		const Filter *filter = g_ptr_array_index(chain->filters, i);

		if (filter->type->keeps(filter, row))
			continue;
		count_drop(chain, i, row);
		return false;
	}
	return true;
}

void filter_chain_cut(FilterChain *chain, const StackSummary *row)
{
	count_drop(chain, chain->drops->len - 1, row);
}

const GArray *filter_chain_drops(const FilterChain *chain)
{
	return chain->drops;
}

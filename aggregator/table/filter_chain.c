/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The filters of stacks and numbers in a fixed order, with what each dropped. Verdicts on frames
 * are kept by frame id, so a line is tested once. view.c filters stacks with it, group_rows.c rows
 * of a table.
 */
#include "table/filter_chain.h"

#include "base/hot_assert.h"

/* A filter's verdict on a frame, cached. */
enum { VERDICT_OPEN, VERDICT_NO, VERDICT_MATCHES };

struct FilterChain {
	GPtrArray *filters;  /* (element-type Filter), owned; the filters are borrowed */
	GPtrArray *verdicts; /* (element-type GArray of uint8_t) by filter, then FrameId; owned */
	GString *line;       /* of the current frame */
	GArray *drops;       /* (element-type FilterDrop), owned */
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

	hot_assert(index < chain->drops->len);
	drop->rows++;
	drop->allocations += row->allocations;
}

FilterChain *filter_chain_new(const GPtrArray *filters, FilterPart part, uint64_t top)
{
	FilterChain *chain = g_new0(FilterChain, 1);

	chain->filters = g_ptr_array_new();
	chain->verdicts = g_ptr_array_new_with_free_func((GDestroyNotify)g_array_unref);
	chain->line = g_string_new(NULL);
	chain->drops = g_array_new(FALSE, FALSE, sizeof(FilterDrop));
	for (const FilterType *type = filter_types; type->option; type++)
		for (guint i = 0; filters && i < filters->len; i++) {
			Filter *filter = g_ptr_array_index(filters, i);

			bool is_of_numbers = !filter->type->matches;

			if (filter->type != type ||
			    (part != FILTERS_ALL && is_of_numbers != (part == FILTERS_OF_NUMBERS)))
				continue;
			g_ptr_array_add(chain->filters, filter);
			g_ptr_array_add(chain->verdicts, g_array_new(FALSE, TRUE, 1));
			add_drop(chain, filter->type->option, filter->argument);
		}
	if (part != FILTERS_OF_FRAMES) {
		chain->top = g_strdup_printf("%" G_GUINT64_FORMAT, top);
		add_drop(chain, "top", chain->top);
	}
	return chain;
}

void filter_chain_free(FilterChain *chain)
{
	if (!chain)
		return;
	g_ptr_array_unref(chain->filters);
	g_ptr_array_unref(chain->verdicts);
	g_string_free(chain->line, TRUE);
	g_array_unref(chain->drops);
	g_free(chain->top);
	g_free(chain);
}

bool filter_chain_filters(const FilterChain *chain)
{
	return chain->filters->len > 0;
}

/* Whether any frame of a stack meets the condition of this filter. */
static bool any_matches(FilterChain *chain, guint number, const StackRows *stacks, uint32_t row)
{
	const Filter *filter = g_ptr_array_index(chain->filters, number);
	GArray *verdicts = g_ptr_array_index(chain->verdicts, number);
	uint32_t count;
	const FrameId *ids = stack_rows_frames(stacks, row, &count);

	hot_assert(number < chain->filters->len);
	hot_assert(number < chain->verdicts->len);
	if (verdicts->len < stack_rows_frame_ids_end(stacks))
		g_array_set_size(verdicts, stack_rows_frame_ids_end(stacks));
	for (uint32_t i = 0; i < count; i++) {
		uint8_t *verdict = &g_array_index(verdicts, uint8_t, ids[i]);

		if (*verdict == VERDICT_OPEN) {
			g_string_truncate(chain->line, 0);
			stack_rows_append_line(stacks, ids[i], chain->line);
			*verdict = filter->type->matches(filter, chain->line->str) ? VERDICT_MATCHES
										   : VERDICT_NO;
		}
		if (*verdict == VERDICT_MATCHES)
			return true;
	}
	return false;
}

/* stacks: NULL for a row of a table. */
static bool keeps(FilterChain *chain, guint number, const StackSummary *sums,
		  const StackRows *stacks, uint32_t row)
{
	const Filter *filter = g_ptr_array_index(chain->filters, number);

	hot_assert(number < chain->filters->len);
	if (!filter->type->matches)
		return filter->type->keeps(filter, sums);
	return any_matches(chain, number, stacks, row) != filter->type->drops_matches;
}

bool filter_chain_keeps_stack(FilterChain *chain, const StackSummary *sums, const StackRows *stacks,
			      uint32_t row)
{
	for (guint i = 0; i < chain->filters->len; i++) {
		if (keeps(chain, i, sums, stacks, row))
			continue;
		count_drop(chain, i, sums);
		return false;
	}
	return true;
}

bool filter_chain_keeps(FilterChain *chain, const StackSummary *sums)
{
	return filter_chain_keeps_stack(chain, sums, NULL, 0);
}

void filter_chain_cut(FilterChain *chain, const StackSummary *row)
{
	count_drop(chain, chain->drops->len - 1, row);
}

const GArray *filter_chain_drops(const FilterChain *chain)
{
	return chain->drops;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of symbols, one for each module, sorted by address. Lists that overlap are merged, so a
 * lookup looks at two lists. An epoch of the symbol store makes one when it is first asked.
 */
#include "symbols/module_index.h"

#include "base/hot_assert.h"

/*
 * Parses a line of a modules batch. Nothing is copied. symbol_store.c and code_objects.c call it
 * for each line.
 */

bool module_line_parse(TextPart line, ModuleLine *parsed)
{
	TextPart bytes, address;

	parsed->name = text_part_next_word(&line);
	bytes = text_part_next_word(&line);
	address = text_part_next_word(&line);
	parsed->build_id = text_part_next_word(&line);
	return text_part_decimal(bytes, &parsed->bytes) &&
	       text_part_address(address, &parsed->address);
}

struct ModuleIndex {
	GPtrArray *lists;  /* (element-type SymbolList), borrowed; sorted by address, disjoint */
	GPtrArray *merged; /* (element-type SymbolList), owned: the merged ones among them */
};

static gint module_index_compare(gconstpointer left, gconstpointer right)
{
	const SymbolList *a = *(SymbolList *const *)left, *b = *(SymbolList *const *)right;
	uint64_t first_a = symbol_list_first(a), first_b = symbol_list_first(b);

	if (first_a != first_b)
		return first_a < first_b ? -1 : 1;
	/* So that duplicates of a list are adjacent. */
	return (a > b) - (a < b);
}

/* Returns the lists with symbols, without duplicates, in the order of their first symbols. */
static GPtrArray *lists_in_order(const GPtrArray *lists)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();
	GPtrArray *once = g_ptr_array_new();

	for (guint i = 0; i < lists->len; i++)
		if (symbol_list_put_in_order(g_ptr_array_index(lists, i)))
			g_ptr_array_add(all, g_ptr_array_index(lists, i));
	g_ptr_array_sort(all, module_index_compare);
	for (guint i = 0; i < all->len; i++)
		if (!i || all->pdata[i] != all->pdata[i - 1])
			g_ptr_array_add(once, all->pdata[i]);
	return once;
}

/* Returns the end of the run of overlapping lists from start on. */
static guint overlapping_until(const GPtrArray *lists, guint start)
{
	uint64_t last = symbol_list_last(g_ptr_array_index(lists, start));
	guint end = start + 1;

	hot_assert(start < lists->len);
	for (; end < lists->len && symbol_list_first(g_ptr_array_index(lists, end)) <= last; end++)
		last = MAX(last, symbol_list_last(g_ptr_array_index(lists, end)));
	return end;
}

/* Merges the overlapping lists from start on into one. */
static SymbolList *module_index_merge(ModuleIndex *index, const GPtrArray *lists, guint start,
				      guint end, MemoryBudget *memory)
{
	SymbolList *merged;
	size_t bytes = 0;

	hot_assert(start < end && end <= lists->len);
	for (guint i = start; i < end; i++)
		bytes += symbol_list_memory(g_ptr_array_index(lists, i));
	if (end == start + 1 || !memory_budget_take(memory, MEMORY_SYMBOLS, bytes))
		return g_ptr_array_index(lists, start);
	merged = symbol_list_new();
	for (guint i = start; i < end; i++)
		symbol_list_add_all(merged, g_ptr_array_index(lists, i));
	symbol_list_put_in_order(merged);
	g_ptr_array_add(index->merged, merged);
	return merged;
}

static void free_list(gpointer list)
{
	symbol_list_free(list);
}

ModuleIndex *module_index_new(const GPtrArray *lists, MemoryBudget *memory)
{
	ModuleIndex *index = g_new0(ModuleIndex, 1);
	g_autoptr(GPtrArray) ordered = lists_in_order(lists);

	index->lists = g_ptr_array_new();
	index->merged = g_ptr_array_new_with_free_func(free_list);
	for (guint start = 0, end; start < ordered->len; start = end) {
		end = overlapping_until(ordered, start);
		g_ptr_array_add(index->lists,
				module_index_merge(index, ordered, start, end, memory));
	}
	return index;
}

void module_index_free(ModuleIndex *index)
{
	if (!index)
		return;
	g_ptr_array_unref(index->lists);
	g_ptr_array_unref(index->merged);
	g_free(index);
}

/* Returns how many lists begin at or before the address. */
static guint count_until(const GPtrArray *lists, uint64_t address)
{
	guint low = 0, high = lists->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (symbol_list_first(g_ptr_array_index(lists, middle)) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

guint module_index_narrow(const ModuleIndex *index, uint64_t address, SymbolNeighbours *neighbours)
{
	guint until = count_until(index->lists, address);
	guint first = until ? until - 1 : 0;
	guint end = MIN(until + 1, index->lists->len);

	for (guint i = first; i < end; i++)
		symbol_list_narrow(g_ptr_array_index(index->lists, i), address, neighbours);
	return end - first;
}

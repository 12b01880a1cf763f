/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbols by address, and the lines of a stream or of the host that they come from. A list is an
 * array of addresses with the offsets of their names, sorted when first searched; the symbol store
 * has one for the kernel and one for each distinct set of a module's symbols. An index has the
 * lists of an epoch's modules, sorted by address. Lists that overlap are merged, so a lookup looks
 * at two lists.
 */
#include "symbols/symbol_list.h"

#include "base/hot_assert.h"
#include "base/sorted.h"

/* Lines. */

bool kallsyms_line_parse(TextPart line, KallsymsLine *parsed)
{
	TextPart address = text_part_next_word(&line);
	TextPart type = text_part_next_word(&line);
	TextPart module;

	parsed->name = text_part_next_word(&line);
	module = text_part_next_word(&line); /* "[MODULE]" */
	if (module.length >= 2 && module.text[0] == '[' && module.text[module.length - 1] == ']')
		parsed->module = (TextPart){ module.text + 1, module.length - 2 };
	else
		parsed->module = (TextPart){ module.text, 0 };
	if (type.length != 1 || !parsed->name.length)
		return false;
	parsed->type = *type.text;
	return text_part_hexadecimal(address, &parsed->address);
}

bool kallsyms_line_is_text(const KallsymsLine *parsed)
{
	return parsed->type == 'T' || parsed->type == 't' || parsed->type == 'W' ||
	       parsed->type == 'w';
}

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

/* A list. */

SymbolList *symbol_list_new(void)
{
	SymbolList *list = g_new0(SymbolList, 1);

	list->entries = g_array_new(FALSE, FALSE, sizeof(SymbolEntry));
	list->ordered = true;
	return list;
}

void symbol_list_free(SymbolList *list)
{
	g_array_unref(list->entries);
	g_free(list);
}

static const SymbolEntry *symbol_list_entry(const SymbolList *list, guint index)
{
	hot_assert(index < list->entries->len);
	return &g_array_index(list->entries, SymbolEntry, index);
}

void symbol_list_add(SymbolList *list, SymbolEntry added)
{
	guint count = list->entries->len;

	/* The kernel lists most symbols in order, so sorting is rarely needed. */
	if (count && added.address <= symbol_list_entry(list, count - 1)->address)
		list->ordered = false;
	g_array_append_val(list->entries, added);
}

static gint symbol_list_compare(gconstpointer left, gconstpointer right)
{
	const SymbolEntry *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (a->foreign != b->foreign)
		return a->foreign ? 1 : -1;
	if (a->global != b->global)
		return a->global ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Returns whether it has any symbol. */
static bool symbol_list_put_in_order(SymbolList *list)
{
	SymbolEntry *entries = (SymbolEntry *)(void *)list->entries->data;
	guint kept = 0;

	if (list->ordered)
		return list->entries->len;
	g_array_sort(list->entries, symbol_list_compare);
	/* Of symbols with equal addresses, the first one stays. */
	for (guint i = 0; i < list->entries->len; i++)
		if (!kept || entries[i].address != entries[kept - 1].address)
			entries[kept++] = entries[i];
	g_array_set_size(list->entries, kept);
	list->ordered = true;
	return kept;
}

/* Return the first and the last address of a sorted list that is not empty. */

static uint64_t symbol_list_first(const SymbolList *list)
{
	return symbol_list_entry(list, 0)->address;
}

static uint64_t symbol_list_last(const SymbolList *list)
{
	return symbol_list_entry(list, list->entries->len - 1)->address;
}

void symbol_list_narrow(SymbolList *list, uint64_t address, SymbolNeighbours *neighbours)
{
	guint until;

	symbol_list_put_in_order(list);
	until = SORTED_UNTIL(list->entries, SymbolEntry, address, address);
	if (until && (!neighbours->at ||
		      symbol_list_entry(list, until - 1)->address > neighbours->at->address))
		neighbours->at = symbol_list_entry(list, until - 1);
	if (until < list->entries->len)
		neighbours->next = MIN(neighbours->next, symbol_list_entry(list, until)->address);
}

/* The lists of all modules. */

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
	for (guint i = start; i < end; i++) {
		const SymbolList *list = g_ptr_array_index(lists, i);

		bytes += sizeof(*list) + list->entries->len * sizeof(SymbolEntry);
	}
	if (end == start + 1 || !memory_budget_take(memory, MEMORY_SYMBOLS, bytes))
		return g_ptr_array_index(lists, start);
	merged = symbol_list_new();
	for (guint i = start; i < end; i++) {
		const SymbolList *list = g_ptr_array_index(lists, i);

		for (guint at = 0; at < list->entries->len; at++)
			symbol_list_add(merged, *symbol_list_entry(list, at));
	}
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

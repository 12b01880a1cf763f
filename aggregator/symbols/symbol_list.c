/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An array of addresses with the offsets of their names, sorted when first searched. The symbol
 * store has one for the kernel and one for each distinct set of a module's symbols.
 */
#include "symbols/symbol_list.h"

#include "base/hot_assert.h"
#include "base/sorted.h"

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

bool symbol_list_put_in_order(SymbolList *list)
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

void symbol_list_add_all(SymbolList *list, const SymbolList *other)
{
	for (guint i = 0; i < other->entries->len; i++)
		symbol_list_add(list, *symbol_list_entry(other, i));
}

size_t symbol_list_memory(const SymbolList *list)
{
	return sizeof(*list) + list->entries->len * sizeof(SymbolEntry);
}

uint64_t symbol_list_first(const SymbolList *list)
{
	return symbol_list_entry(list, 0)->address;
}

uint64_t symbol_list_last(const SymbolList *list)
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ranges of addresses in an array, sorted by start at the first lookup. Each entry also has the
 * highest end of itself and those before it, so a lookup goes back only as far as a range may still
 * contain the address. The tables of functions and units of debug data, of symbols and of code
 * objects are made of it.
 */
#include "base/address_ranges.h"

#include "base/hot_assert.h"
#include "base/sorted.h"

typedef struct {
	AddressRange range;
	uint64_t end_max; /* of this range and those before it */
} Entry;

struct AddressRanges {
	GArray *entries; /* (element-type Entry), owned, by start if ordered */
	bool is_ordered;
};

AddressRanges *address_ranges_new(void)
{
	AddressRanges *ranges = g_new0(AddressRanges, 1);

	ranges->entries = g_array_new(FALSE, FALSE, sizeof(Entry));
	return ranges;
}

void address_ranges_free(AddressRanges *ranges)
{
	if (!ranges)
		return;
	g_array_unref(ranges->entries);
	g_free(ranges);
}

void address_ranges_add(AddressRanges *ranges, uint64_t start, uint64_t end, uint64_t id)
{
	const Entry entry = { .range = { start, end, id } };

	if (start >= end)
		return;
	g_array_append_val(ranges->entries, entry);
	ranges->is_ordered = false;
}

/* Equal ranges keep one order, whatever sorts them. */
static gint compare_entries(gconstpointer left, gconstpointer right)
{
	const AddressRange *a = &((const Entry *)left)->range, *b = &((const Entry *)right)->range;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->id < b->id) - (a->id > b->id);
}

void address_ranges_order(AddressRanges *ranges)
{
	uint64_t end_max = 0;

	if (ranges->is_ordered)
		return;
	g_array_sort(ranges->entries, compare_entries);
	for (guint i = 0; i < ranges->entries->len; i++) {
		Entry *entry = &g_array_index(ranges->entries, Entry, i);

		end_max = MAX(end_max, entry->range.end);
		entry->end_max = end_max;
	}
	ranges->is_ordered = true;
}

static const Entry *entry_at(const AddressRanges *ranges, guint index)
{
	hot_assert(index < ranges->entries->len);
	return &g_array_index(ranges->entries, Entry, index);
}

bool address_ranges_find(const AddressRanges *ranges, uint64_t address, AddressRange *found)
{
	guint until = SORTED_UNTIL(ranges->entries, Entry, range.start, address);

	for (guint i = until; i-- > 0;) {
		const Entry *entry = entry_at(ranges, i);

		if (entry->end_max <= address)
			return false;
		if (address >= entry->range.end)
			continue;
		*found = entry->range;
		return true;
	}
	return false;
}

bool address_ranges_find_nearest(const AddressRanges *ranges, uint64_t address, AddressRange *found)
{
	guint until = SORTED_UNTIL(ranges->entries, Entry, range.start, address);

	if (!until || address >= entry_at(ranges, until - 1)->range.end)
		return false;
	*found = entry_at(ranges, until - 1)->range;
	return true;
}

guint address_ranges_count(const AddressRanges *ranges)
{
	return ranges->entries->len;
}

AddressRange address_ranges_get(const AddressRanges *ranges, guint index)
{
	return entry_at(ranges, index)->range;
}

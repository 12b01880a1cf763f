/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/address_ranges.h"

typedef struct {
	uint64_t start, end;
	uint64_t end_max; /* of this range and those before it */
	uint64_t id;
} Range;

struct AddressRanges {
	GArray *ranges; /* (element-type Range), owned, by start */
};

AddressRanges *address_ranges_new(void)
{
	AddressRanges *ranges = g_new0(AddressRanges, 1);

	ranges->ranges = g_array_new(FALSE, FALSE, sizeof(Range));
	return ranges;
}

void address_ranges_free(AddressRanges *ranges)
{
	if (!ranges)
		return;
	g_array_unref(ranges->ranges);
	g_free(ranges);
}

void address_ranges_add(AddressRanges *ranges, uint64_t start, uint64_t end, uint64_t id)
{
	const Range range = { .start = start, .end = end, .id = id };

	if (start < end)
		g_array_append_val(ranges->ranges, range);
}

/* Equal ranges keep one order, whatever sorts them. */
static gint compare_ranges(gconstpointer left, gconstpointer right)
{
	const Range *a = left, *b = right;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (a->end != b->end)
		return a->end > b->end ? -1 : 1;
	return (a->id < b->id) - (a->id > b->id);
}

void address_ranges_order(AddressRanges *ranges)
{
	uint64_t end_max = 0;

	g_array_sort(ranges->ranges, compare_ranges);
	for (guint i = 0; i < ranges->ranges->len; i++) {
		Range *range = &g_array_index(ranges->ranges, Range, i);

		end_max = MAX(end_max, range->end);
		range->end_max = end_max;
	}
}

/* Returns how many ranges start at or before an address. */
static guint starts_until(const AddressRanges *ranges, uint64_t address)
{
	guint low = 0, high = ranges->ranges->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;

		if (g_array_index(ranges->ranges, Range, middle).start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

bool address_ranges_find(const AddressRanges *ranges, uint64_t address, uint64_t *id,
			 uint64_t *start)
{
	for (guint i = starts_until(ranges, address); i-- > 0;) {
		const Range *range = &g_array_index(ranges->ranges, Range, i);

		if (range->end_max <= address)
			return false;
		if (address >= range->end)
			continue;
		*id = range->id;
		*start = range->start;
		return true;
	}
	return false;
}

guint address_ranges_count(const AddressRanges *ranges)
{
	return ranges->ranges->len;
}

uint64_t address_ranges_start(const AddressRanges *ranges, guint index, uint64_t *id)
{
	const Range *range = &g_array_index(ranges->ranges, Range, index);

	*id = range->id;
	return range->start;
}

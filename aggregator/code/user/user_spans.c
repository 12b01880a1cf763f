/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The mappings of one process, sorted by address and then by time: no two spans overlap at one
 * time. A new mapping is merged with the spans that it overlaps. Also the unwinder keeps its own of
 * each process.
 */
#include "code/user/user_spans.h"

#include "base/hot_assert.h"
#include "base/sorted.h"

/* Of each span that a mapping overlaps: its two parts, the mapping, and the span again behind it;
   one more in the gap before it. */
enum { PARTS_MAX = 5 };

UserSpans *user_spans_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(UserSpan));
}

static UserSpan *span_at(const UserSpans *spans, guint at)
{
	hot_assert(at < spans->len);
	return &g_array_index(spans, UserSpan, at);
}

/* Returns the position of the first span that ends behind this address. */
static guint first_behind(const UserSpans *spans, uint64_t address)
{
	return SORTED_UNTIL(spans, UserSpan, end, address);
}

/* Returns the position behind those spans, from first on, that have the same addresses and are not
   later than this. */
static guint behind_time(const UserSpans *spans, guint first, uint64_t time_ns)
{
	uint64_t start = span_at(spans, first)->start;
	guint low = first, high = spans->len;

	while (low < high) {
		guint middle = low + (high - low) / 2;
		const UserSpan *span = span_at(spans, middle);

		if (span->start > start || span->from_ns > time_ns)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

const UserSpan *user_spans_find(const UserSpans *spans, uint64_t address, uint64_t time_ns)
{
	guint first = first_behind(spans, address);
	guint behind;

	if (first == spans->len || span_at(spans, first)->start > address)
		return NULL;
	behind = behind_time(spans, first, time_ns);
	return behind > first ? span_at(spans, behind - 1) : NULL;
}

/* Appends a part of a span to the new table. */
static void user_spans_put(GArray *table, const UserSpan *span, uint64_t start, uint64_t end)
{
	UserSpan part = *span;

	part.start = start;
	part.end = end;
	if (start < end)
		g_array_append_val(table, part);
}

static bool is_same_mapping(const UserSpan *a, const UserSpan *b)
{
	return a->object == b->object && a->to_offset == b->to_offset;
}

/*
 * Appends the mapping behind an earlier span of the same addresses: the last one of the table. If
 * the earlier mapping was reported again later, it is mapped again then.
 */
static void put_behind(GArray *table, const UserSpan *mapping, uint64_t start, uint64_t end)
{
	UserSpan *before = span_at(table, table->len - 1);
	UserSpan again = *before;

	if (is_same_mapping(before, mapping)) {
		before->last_ns = MAX(before->last_ns, mapping->last_ns);
		return;
	}
	before->last_ns = MIN(before->last_ns, mapping->from_ns);
	user_spans_put(table, mapping, start, end);
	if (again.last_ns <= mapping->from_ns)
		return;
	again.from_ns = again.last_ns;
	user_spans_put(table, &again, start, end);
}

/* A span behind the mapping: one that continues it only begins earlier. */
static void put_next(GArray *table, const UserSpan *next, bool is_first_behind, uint64_t start,
		     uint64_t end)
{
	UserSpan *before = table->len ? span_at(table, table->len - 1) : NULL;

	if (is_first_behind && is_same_mapping(before, next))
		before->last_ns = next->last_ns;
	else
		user_spans_put(table, next, start, end);
}

/* Appends the part from start to end of the spans in [first, behind), which have the same
   addresses, with the mapping between them. */
static void put_merged(GArray *table, const UserSpans *spans, guint first, guint behind,
		       const UserSpan *mapping, uint64_t start, uint64_t end)
{
	guint later = behind_time(spans, first, mapping->from_ns);

	for (guint at = first; at < later; at++)
		user_spans_put(table, span_at(spans, at), start, end);
	if (later > first)
		put_behind(table, mapping, start, end);
	else
		user_spans_put(table, mapping, start, end);
	for (guint at = later; at < behind; at++)
		put_next(table, span_at(spans, at), at == later, start, end);
}

static void put_all(GArray *table, const UserSpans *spans, guint first, guint behind,
		    uint64_t start, uint64_t end)
{
	for (guint at = first; at < behind; at++)
		user_spans_put(table, span_at(spans, at), start, end);
}

/* Returns the table of the spans in [first, behind), with the mapping, which overlaps each of them.
 */
static GArray *user_spans_merge(const UserSpans *spans, guint first, guint behind,
				const UserSpan *mapping)
{
	GArray *table = user_spans_new();
	uint64_t covered = mapping->start;
	guint next;

	for (guint at = first; at < behind; at = next) {
		const UserSpan *span = span_at(spans, at);
		uint64_t start = MAX(span->start, mapping->start);
		uint64_t end = MIN(span->end, mapping->end);

		next = behind_time(spans, at, UINT64_MAX);
		put_all(table, spans, at, next, span->start, start);
		user_spans_put(table, mapping, covered, start);
		put_merged(table, spans, at, next, mapping, start, end);
		put_all(table, spans, at, next, end, span->end);
		covered = end;
	}
	user_spans_put(table, mapping, covered, mapping->end);
	return table;
}

bool user_spans_add(UserSpans *spans, const UserSpan *mapping, guint spans_max)
{
	guint first = first_behind(spans, mapping->start);
	guint behind = first;
	g_autoptr(GArray) table = NULL;

	while (behind < spans->len && span_at(spans, behind)->start < mapping->end)
		behind++;
	if (spans->len + (uint64_t)PARTS_MAX * (behind - first) + 1 > spans_max)
		return false;
	if (behind == first) {
		g_array_insert_val(spans, first, *mapping);
		return true;
	}
	table = user_spans_merge(spans, first, behind, mapping);
	g_array_remove_range(spans, first, behind - first);
	g_array_insert_vals(spans, first, table->data, table->len);
	return true;
}

void user_spans_forget(UserSpans *spans, uint64_t time_ns, uint64_t begin_ns)
{
	guint kept = 0;

	for (guint at = 0; at < spans->len; at++) {
		const UserSpan *span = span_at(spans, at);
		const UserSpan *next = at + 1 < spans->len ? span_at(spans, at + 1) : NULL;
		bool is_replaced = next && next->start == span->start && next->from_ns <= time_ns;

		if (span->last_ns >= begin_ns && !is_replaced)
			*span_at(spans, kept++) = *span;
	}
	g_array_set_size(spans, kept);
}

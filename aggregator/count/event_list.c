/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Single hits in an array, their column texts behind each other in another. A table by thread and
 * time finds a hit again when durations.c knows its latency. Used when a preset or --print asks for
 * a list.
 */
#include "count/event_list.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "base/slot_table.h"

enum { FIRST_SLOTS = 512 };

struct EventList {
	size_t bytes_max;
	GArray *hits;      /* (element-type ListedHit), owned */
	GByteArray *texts; /* owned */
	SlotTable latest;  /* hits by thread and time: of the same both, the latest one */
	uint64_t dropped;
};

EventList *event_list_new(size_t bytes_max)
{
	EventList *list = g_new0(EventList, 1);

	list->bytes_max = bytes_max;
	list->hits = g_array_new(FALSE, FALSE, sizeof(ListedHit));
	list->texts = g_byte_array_new();
	slot_table_init(&list->latest, FIRST_SLOTS);
	return list;
}

void event_list_free(EventList *list)
{
	if (!list)
		return;
	g_array_unref(list->hits);
	g_byte_array_unref(list->texts);
	slot_table_clear(&list->latest);
	g_free(list);
}

static uint32_t hash_of(uint32_t tid, uint64_t time_ns)
{
	return keyed_hash_mix_pair(time_ns, tid);
}

/* Returns index + 1 of the latest hit of a thread at a time, and its slot; or 0, and the slot for
   a new one. */
static guint find_latest(const EventList *list, uint32_t tid, uint64_t time_ns, uint32_t *at)
{
	uint32_t hash = hash_of(tid, time_ns), index;

	for (*at = hash; (index = slot_table_candidate(&list->latest, hash, at)) != SLOT_ID_NONE;
	     ++*at) {
		const ListedHit *hit = event_list_at(list, index);

		if (hit->tid == tid && hit->time_ns == time_ns)
			return index + 1;
	}
	return 0;
}

/* Appends a hit, with the text of its columns. */
static void add_hit(EventList *list, const ListedHit *hit, const EventColumns *columns)
{
	size_t bytes_used = list->hits->len * sizeof(ListedHit) + list->texts->len +
			    slot_table_memory(&list->latest);
	ListedHit added = *hit;
	uint32_t at;

	if (bytes_used >= list->bytes_max) {
		list->dropped++;
		return;
	}
	added.text_at = list->texts->len;
	if (columns) {
		added.text_bytes = columns->text_bytes;
		g_byte_array_append(list->texts, (const guint8 *)columns->text,
				    columns->text_bytes);
	}
	added.previous = find_latest(list, hit->tid, hit->time_ns, &at);
	if (added.previous)
		slot_table_replace(&list->latest, at, list->hits->len);
	else
		slot_table_put(&list->latest, hash_of(hit->tid, hit->time_ns), at, list->hits->len);
	g_array_append_val(list->hits, added);
}

void event_list_take(EventList *list, const Events *events, const uint32_t *cells)
{
	size_t column = 0;

	for (size_t i = 0; i < events->events_count; i++) {
		const Event *event = &events->events[i];
		const EventColumns *columns = NULL;
		ListedHit hit = {
			.time_ns = event_time_ns(events, event),
			.latency_ns = LATENCY_UNKNOWN,
			.tid = event->task == KMT_NONE ? 0 : events_task_tid(events, event->task),
			.cell = cells[i],
			.cpu = events->header->cpu,
			.point = events_origin_point(events, event->origin),
		};

		while (column < events->columns_count && events->columns[column].event < i)
			column++;
		if (column < events->columns_count && events->columns[column].event == i)
			columns = &events->columns[column];
		if (cells[i] != PROFILE_CELL_NONE && event->weight)
			add_hit(list, &hit, columns);
	}
}

void event_list_note_span(EventList *list, uint32_t tid, uint64_t begin_ns, uint64_t end_ns)
{
	uint32_t at;
	guint end = find_latest(list, tid, end_ns, &at), begin = 0;
	ListedHit *hit;

	if (end && begin_ns == end_ns)
		begin = event_list_at(list, end - 1)->previous;
	else if (end)
		begin = find_latest(list, tid, begin_ns, &at);
	if (!begin)
		return;
	hit = &g_array_index(list->hits, ListedHit, end - 1);
	hit->latency_ns = end_ns - begin_ns;
	hit->begin = begin - 1;
}

uint32_t event_list_count(const EventList *list)
{
	return list->hits->len;
}

const ListedHit *event_list_at(const EventList *list, uint32_t index)
{
	hot_assert(index < list->hits->len);
	return &g_array_index(list->hits, ListedHit, index);
}

const char *event_list_text(const EventList *list, const ListedHit *hit, uint32_t *bytes)
{
	*bytes = hit->text_bytes;
	/* Without any text there is no array, either. */
	return hit->text_bytes ? (const char *)list->texts->data + hit->text_at : "";
}

uint64_t event_list_dropped(const EventList *list)
{
	return list->dropped;
}

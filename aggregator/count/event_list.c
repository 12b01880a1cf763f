/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/event_list.h"

#include "base/keyed_hash.h"
#include "base/saturate.h"

struct EventList {
	size_t bytes_max;
	GArray *hits;       /* (element-type ListedHit), owned */
	GByteArray *texts;  /* owned */
	GHashTable *latest; /* (tid → index + 1 of its latest hit) */
	uint64_t dropped;
};

EventList *event_list_new(size_t bytes_max)
{
	EventList *list = g_new0(EventList, 1);

	list->bytes_max = bytes_max;
	list->hits = g_array_new(FALSE, FALSE, sizeof(ListedHit));
	list->texts = g_byte_array_new();
	list->latest = g_hash_table_new(NULL, NULL);
	return list;
}

void event_list_free(EventList *list)
{
	if (!list)
		return;
	g_array_unref(list->hits);
	g_byte_array_unref(list->texts);
	g_hash_table_unref(list->latest);
	g_free(list);
}

size_t event_list_memory(const EventList *list)
{
	return list->hits->len * sizeof(ListedHit) + list->texts->len +
	       g_hash_table_size(list->latest) * 4 * sizeof(void *);
}

static guint latest_of(const EventList *list, uint32_t tid)
{
	return GPOINTER_TO_UINT(g_hash_table_lookup(list->latest, GUINT_TO_POINTER(tid)));
}

/* Appends a hit, with the text of its columns. */
static void add_hit(EventList *list, const ListedHit *hit, const EventColumns *columns)
{
	ListedHit added = *hit;

	if (event_list_memory(list) >= list->bytes_max) {
		list->dropped++;
		return;
	}
	added.text_at = list->texts->len;
	if (columns) {
		added.text_bytes = columns->text_bytes;
		g_byte_array_append(list->texts, (const guint8 *)columns->text,
				    columns->text_bytes);
	}
	added.previous = latest_of(list, hit->tid);
	g_array_append_val(list->hits, added);
	g_hash_table_insert(list->latest, GUINT_TO_POINTER(hit->tid),
			    GUINT_TO_POINTER(list->hits->len));
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

/* Returns index + 1 of the hit of a thread at a time, from this hit back; 0: there is none. */
static guint find_back(const EventList *list, guint from, uint64_t time_ns)
{
	while (from && event_list_at(list, from - 1)->time_ns != time_ns)
		from = event_list_at(list, from - 1)->previous;
	return from;
}

void event_list_note_span(EventList *list, uint32_t tid, uint64_t begin_ns, uint64_t end_ns)
{
	guint end = find_back(list, latest_of(list, tid), end_ns);
	guint begin = end ? find_back(list, event_list_at(list, end - 1)->previous, begin_ns) : 0;
	ListedHit *hit;

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
	return &g_array_index(list->hits, ListedHit, index);
}

const char *event_list_text(const EventList *list, const ListedHit *hit, uint32_t *bytes)
{
	*bytes = hit->text_bytes;
	return (const char *)list->texts->data + hit->text_at;
}

uint64_t event_list_dropped(const EventList *list)
{
	return list->dropped;
}

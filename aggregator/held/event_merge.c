/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A queue for each CPU, and a tree whose root is the earliest event of all. A CPU's events mostly
 * arrive in order; a few that do not are moved back. pairing.c and durations.c take merged events
 * from it.
 */
#include "held/event_merge.h"

#include "base/hot_assert.h"

#include <string.h>

enum {
	DISORDER_MAX = 64, /* events of a CPU that may precede an earlier one */
	CAPACITY_FIRST = 256,
};

/* The events of a CPU, in order of time: those from first to end. */
typedef struct {
	WaitingEvent *events; /* owned; room for capacity */
	uint32_t first;
	uint32_t end;
	uint32_t capacity;
	uint16_t cpu;
} Queue;

/* A node of a tree whose leaves are the queues: the earliest event below it. */
typedef struct {
	uint64_t time_ns; /* UINT64_MAX: there is none */
	uint32_t cpu;
	uint32_t queue;
} Node;

struct EventMerge {
	GArray *places; /* (element-type guint), owned, by CPU: position in queues + 1; 0: none */
	GArray *queues; /* (element-type Queue), owned */
	Node *nodes;    /* owned: the root is 1, the leaves begin at leaves */
	guint leaves;   /* a power of two */
	size_t count;
	size_t bytes; /* of the events of all queues */
};

static void queue_clear(void *pointer)
{
	Queue *queue = pointer;

	g_free(queue->events);
}

EventMerge *event_merge_new(void)
{
	EventMerge *merge = g_new0(EventMerge, 1);

	merge->places = g_array_new(FALSE, TRUE, sizeof(guint));
	merge->queues = g_array_new(FALSE, TRUE, sizeof(Queue));
	g_array_set_clear_func(merge->queues, queue_clear);
	merge->leaves = 1;
	merge->nodes = g_new0(Node, 2);
	return merge;
}

void event_merge_free(EventMerge *merge)
{
	if (!merge)
		return;
	g_array_unref(merge->places);
	g_array_unref(merge->queues);
	g_free(merge->nodes);
	g_free(merge);
}

static Queue *queue_at(const EventMerge *merge, guint number)
{
	hot_assert(number < merge->queues->len);
	return &g_array_index(merge->queues, Queue, number);
}

static Queue *queue_add(EventMerge *merge, uint16_t cpu)
{
	const Queue added = { .cpu = cpu };

	if (cpu >= merge->places->len)
		g_array_set_size(merge->places, cpu + 1U);
	g_array_append_val(merge->queues, added);
	g_array_index(merge->places, guint, cpu) = merge->queues->len;
	if (merge->queues->len > merge->leaves) {
		merge->leaves *= 2;
		merge->nodes = g_renew(Node, merge->nodes, 2 * (gsize)merge->leaves);
	}
	return queue_at(merge, merge->queues->len - 1);
}

static inline Queue *queue_of(EventMerge *merge, uint16_t cpu)
{
	guint place = cpu < merge->places->len ? g_array_index(merge->places, guint, cpu) : 0;

	return place ? queue_at(merge, place - 1) : queue_add(merge, cpu);
}

static void set_capacity(EventMerge *merge, Queue *queue, uint32_t capacity)
{
	hot_assert(capacity >= queue->end);
	merge->bytes -= queue->capacity * sizeof(WaitingEvent);
	merge->bytes += capacity * sizeof(WaitingEvent);
	queue->capacity = capacity;
	queue->events = g_renew(WaitingEvent, queue->events, capacity);
}

static void move_to_front(Queue *queue)
{
	hot_assert(queue->first <= queue->end);
	memmove(queue->events, queue->events + queue->first,
		(queue->end - queue->first) * sizeof(WaitingEvent));
	queue->end -= queue->first;
	queue->first = 0;
}

static void make_room(EventMerge *merge, Queue *queue)
{
	if (queue->first > queue->capacity / 2)
		move_to_front(queue);
	else
		set_capacity(merge, queue,
			     MAX(queue->capacity + queue->capacity / 2, CAPACITY_FIRST));
}

void event_merge_put(EventMerge *merge, const WaitingEvent *event)
{
	Queue *queue = queue_of(merge, event->cpu);
	/* UINT64_MAX would be no event. */
	uint64_t time_ns = MIN(event->time_ns, UINT64_MAX - 1);
	WaitingEvent *events;
	uint32_t at, least;

	if (G_UNLIKELY(queue->end == queue->capacity))
		make_room(merge, queue);
	hot_assert(queue->first <= queue->end && queue->end < queue->capacity);
	events = queue->events;
	at = queue->end++;
	least = at - MIN(at - queue->first, DISORDER_MAX);
	for (; at > least && events[at - 1].time_ns > time_ns; at--)
		events[at] = events[at - 1];
	events[at] = *event;
	events[at].time_ns = at > queue->first ? MAX(time_ns, events[at - 1].time_ns) : time_ns;
	merge->count++;
}

void event_merge_each(const EventMerge *merge, WaitingVisitor visit, void *user_data)
{
	for (guint i = 0; i < merge->queues->len; i++) {
		const Queue *queue = queue_at(merge, i);

		for (uint32_t at = queue->first; at < queue->end; at++)
			visit(&queue->events[at], user_data);
	}
}

static inline bool is_before(const Node *a, const Node *b)
{
	return a->time_ns < b->time_ns || (a->time_ns == b->time_ns && a->cpu < b->cpu);
}

static void set_leaf(EventMerge *merge, guint number)
{
	Node *leaf = &merge->nodes[merge->leaves + number];
	const Queue *queue = number < merge->queues->len ? queue_at(merge, number) : NULL;

	hot_assert(number < merge->leaves);
	*leaf = (Node){ .time_ns = UINT64_MAX, .cpu = UINT32_MAX, .queue = number };
	if (!queue || queue->first == queue->end)
		return;
	leaf->time_ns = queue->events[queue->first].time_ns;
	leaf->cpu = queue->cpu;
}

static inline void set_node(EventMerge *merge, guint node)
{
	const Node *left = &merge->nodes[2 * node], *right = left + 1;

	hot_assert(node > 0 && node < merge->leaves);
	merge->nodes[node] = is_before(right, left) ? *right : *left;
}

/* Returns the earliest event of all queues but this one. */
static Node earliest_other(const EventMerge *merge, guint number)
{
	Node earliest = { .time_ns = UINT64_MAX, .cpu = UINT32_MAX };

	hot_assert(number < merge->leaves);
	for (guint node = merge->leaves + number; node > 1; node /= 2)
		if (is_before(&merge->nodes[node ^ 1], &earliest))
			earliest = merge->nodes[node ^ 1];
	return earliest;
}

/* Takes events of one queue, as long as they are before the limit. */
static unsigned take_from(Queue *queue, Node limit, WaitingEvent *events, unsigned count)
{
	unsigned taken = 0;
	/* Events of the same time are before the limit if their CPU is. */
	uint64_t until_ns = limit.time_ns + (queue->cpu < limit.cpu);

	hot_assert(queue->first <= queue->end && queue->end <= queue->capacity);
	while (taken < count && queue->first < queue->end &&
	       queue->events[queue->first].time_ns < until_ns)
		events[taken++] = queue->events[queue->first++];
	if (queue->first == queue->end)
		queue->first = queue->end = 0;
	return taken;
}

unsigned event_merge_take(EventMerge *merge, uint64_t until_ns, WaitingEvent *events,
			  unsigned count)
{
	unsigned taken = 0;

	if (!merge->count)
		return 0;
	for (guint i = 0; i < merge->leaves; i++)
		set_leaf(merge, i);
	for (guint node = merge->leaves; node-- > 1;)
		set_node(merge, node);
	while (taken < count && merge->nodes[1].time_ns < until_ns) {
		guint number = merge->nodes[1].queue;
		Node limit = earliest_other(merge, number);

		if (limit.time_ns >= until_ns)
			limit = (Node){ .time_ns = until_ns };
		taken += take_from(queue_at(merge, number), limit, events + taken, count - taken);
		set_leaf(merge, number);
		for (guint node = (merge->leaves + number) / 2; node; node /= 2)
			set_node(merge, node);
	}
	merge->count -= taken;
	return taken;
}

size_t event_merge_count(const EventMerge *merge)
{
	return merge->count;
}

size_t event_merge_memory(const EventMerge *merge)
{
	return merge->bytes + merge->queues->len * sizeof(Queue) +
	       merge->places->len * sizeof(guint) + 2 * (size_t)merge->leaves * sizeof(Node);
}

void event_merge_trim(EventMerge *merge)
{
	for (guint i = 0; i < merge->queues->len; i++) {
		Queue *queue = queue_at(merge, i);

		move_to_front(queue);
		set_capacity(merge, queue, queue->end);
	}
}

/* Without the tables of CPUs, which cannot be given back. */
bool event_merge_trim_to(EventMerge *merge, size_t bytes_max)
{
	if (merge->bytes <= bytes_max)
		return true;
	if (merge->count * sizeof(WaitingEvent) > bytes_max / 3 * 2)
		return false;
	event_merge_trim(merge);
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pairs begins and ends of probe points. Hits wait in an EventMerge until all CPUs have sent
 * theirs, then go through in order of time; a hash table has the open begin of each pair and
 * thread. A span is added to the cell of its begin, and noted in the list of hits.
 * session/counter.c feeds it when the points have pairs.
 */
#include "held/durations.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "base/slot_table.h"
#include "held/event_merge.h"

enum {
	FIRST_SLOTS = 512,
	HITS_AT_A_TIME = 256,
	CPUS_MAX = 1 << 16,
};

/* At the start, CPUs of which no batch has arrived yet may have earlier hits. */
#define FIRST_WAIT_NS 500000000ULL

/* Flags of waiting hits. */
enum { IN_INTERRUPT = 1, UNWANTED = 2 };

enum { LEVEL_MAX = 32 }; /* weights have 32 bits */

/* In place of a thread: the number of a CPU, for hits in interrupts. */
#define OF_CPU (1ULL << 32)

/* The last begin of a pair in a thread. */
typedef struct {
	uint64_t key;
	uint64_t begin_ns;
	uint32_t cell;
	bool is_open;
	bool is_unwanted; /* it does not count */
} Begin;

struct Durations {
	Profile *profile;        /* borrowed */
	const PointList *points; /* borrowed */
	EventList *list;         /* borrowed; NULL: none */
	EventMerge *waiting;     /* see durations_enqueue() for the meaning of its members */
	GArray *cells;           /* (element-type uint32_t): of the hits of a batch */
	SlotTable slots;         /* begins by key */
	GArray *begins;          /* (element-type Begin) */
	guint begins_max;
	size_t waiting_bytes_max;
	uint64_t first_ns; /* of the hits; 0: none so far */
	DurationTotals totals;
};

Durations *durations_new(Profile *profile, const PointList *points, size_t bytes_max)
{
	Durations *durations = g_new0(Durations, 1);
	size_t begins_max = bytes_max / 2 / (sizeof(Begin) + 2 * sizeof(Slot));

	durations->profile = profile;
	durations->points = points;
	durations->waiting = event_merge_new();
	durations->cells = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	slot_table_init(&durations->slots, FIRST_SLOTS);
	durations->begins = g_array_new(FALSE, FALSE, sizeof(Begin));
	durations->begins_max = (guint)CLAMP(begins_max, FIRST_SLOTS, G_MAXINT);
	durations->waiting_bytes_max = bytes_max / 2;
	return durations;
}

void durations_free(Durations *durations)
{
	if (!durations)
		return;
	event_merge_free(durations->waiting);
	g_array_unref(durations->cells);
	slot_table_clear(&durations->slots);
	g_array_unref(durations->begins);
	g_free(durations);
}

void durations_set_list(Durations *durations, EventList *list)
{
	durations->list = list;
}

static Begin *begin_at(const Durations *durations, uint32_t id)
{
	hot_assert(id < durations->begins->len);
	return &g_array_index(durations->begins, Begin, id);
}

/* Returns the entry of a key, or SLOT_ID_NONE. Then *hash and *at show where to insert it. */
static uint32_t begin_find(const Durations *durations, uint64_t key, uint32_t *hash, uint32_t *at)
{
	uint32_t id;

	*hash = keyed_hash_mix(key);
	for (*at = *hash; (id = slot_table_candidate(&durations->slots, *hash, at)) != SLOT_ID_NONE;
	     ++*at)
		if (begin_at(durations, id)->key == key)
			return id;
	return SLOT_ID_NONE;
}

/* Forgets begins that have their end: most of their threads have ended. Returns false if fewer than
   half of them have one. */
static bool forget_closed(Durations *durations)
{
	GArray *all = durations->begins;
	guint kept = 0;

	if (durations->totals.open > durations->begins_max / 2)
		return false;
	slot_table_clear(&durations->slots);
	slot_table_init(&durations->slots, FIRST_SLOTS);
	for (guint i = 0; i < all->len; i++) {
		const Begin *begin = begin_at(durations, i);
		uint32_t hash = keyed_hash_mix(begin->key), at = hash;

		if (!begin->is_open)
			continue;
		while (slot_table_candidate(&durations->slots, hash, &at) != SLOT_ID_NONE)
			at++;
		slot_table_put(&durations->slots, hash, at, kept);
		*begin_at(durations, kept++) = *begin;
	}
	g_array_set_size(all, kept);
	return true;
}

/* Returns the entry of a key, a new one if there is none; NULL: no room. */
static Begin *begin_intern(Durations *durations, uint64_t key)
{
	const Begin added = { .key = key };
	uint32_t hash, at, id = begin_find(durations, key, &hash, &at);

	if (id != SLOT_ID_NONE)
		return begin_at(durations, id);
	if (durations->begins->len >= durations->begins_max) {
		if (!forget_closed(durations))
			return NULL;
		begin_find(durations, key, &hash, &at);
	}
	id = durations->begins->len;
	g_array_append_val(durations->begins, added);
	slot_table_put(&durations->slots, hash, at, id);
	return begin_at(durations, id);
}

static uint64_t key_of(const WaitingEvent *hit, uint64_t thread)
{
	return thread << 8 | hit->kind;
}

static void take_begin(Durations *durations, const WaitingEvent *hit)
{
	Begin *begin = begin_intern(durations, key_of(hit, hit->pointer));

	if (!begin) {
		durations->totals.over_bound++;
		return;
	}
	durations->totals.not_ended += begin->is_open;
	durations->totals.open += !begin->is_open;
	begin->begin_ns = hit->time_ns;
	begin->cell = hit->cell;
	begin->is_open = true;
	begin->is_unwanted = hit->space & UNWANTED;
}

/* The first digits of the borders between classes, which repeat in each power of ten. */
enum { BORDERS = 3 };
static const unsigned borders[BORDERS] = { 1, 2, 5 };

uint64_t duration_class_from_ns(unsigned class)
{
	uint64_t from_ns = borders[class % BORDERS];

	for (unsigned power = class / BORDERS; power > 0; power--)
		from_ns *= 10;
	return from_ns;
}

static unsigned class_of(uint64_t time_ns)
{
	unsigned class = 0;

	for (; time_ns >= 10; time_ns /= 10)
		class += BORDERS;
	return class + (time_ns >= borders[1]) + (time_ns >= borders[2]);
}

static void count_span(Durations *durations, const Begin *begin, const WaitingEvent *end)
{
	uint64_t end_ns = end->time_ns;
	uint64_t weight = 1ULL << MIN(end->level, LEVEL_MAX);
	DurationTotals *totals = &durations->totals;
	uint64_t time_ns = end_ns - MIN(begin->begin_ns, end_ns);

	profile_add_span(durations->profile, begin->cell,
			 &(ProfileSpan){ begin->begin_ns, end_ns, (int64_t)end->pointer, weight });
	totals->spans += weight;
	saturate_add(&totals->time_ns, saturate_product(time_ns, weight));
	totals->time_max_ns = MAX(totals->time_max_ns, time_ns);
	totals->classes[class_of(time_ns)] += weight;
	if (durations->list)
		event_list_note_span(durations->list, (uint32_t)(begin->key >> 8), begin->begin_ns,
				     end_ns);
}

static void take_end(Durations *durations, const WaitingEvent *hit, uint64_t thread)
{
	uint32_t hash, at, id = begin_find(durations, key_of(hit, thread), &hash, &at);
	Begin *begin = id == SLOT_ID_NONE ? NULL : begin_at(durations, id);

	if (!begin || !begin->is_open) {
		durations->totals.not_begun++;
		return;
	}
	if (!begin->is_unwanted && !(hit->space & UNWANTED))
		count_span(durations, begin, hit);
	durations->totals.open--;
	begin->is_open = false;
}

/* Returns who makes the span: a thread, or in interrupts the CPU. */
static uint64_t thread_of(const Events *events, const Event *event)
{
	if (event->context != KMT_CONTEXT_TASK || event->task == KMT_NONE)
		return OF_CPU | events->header->cpu;
	return events_task_tid(events, event->task);
}

/* A begin waits with its cell, and its thread as pointer. An end needs no cell: it waits with its
   value as pointer, and its thread as cell. Space has the flags. */
static void durations_enqueue(Durations *durations, const Events *events, const Event *event,
			      uint32_t cell)
{
	ListedPoint point =
		point_list_get(durations->points, events_origin_point(events, event->origin));
	uint64_t thread = thread_of(events, event);
	WaitingEvent waiting = { .time_ns = event_time_ns(events, event), .cell = cell };

	waiting.cpu = (uint16_t)(events->header->cpu % CPUS_MAX);
	waiting.kind = point.pair & (POINT_PAIRS_MAX - 1U);
	waiting.free = point.role == POINT_ROLE_END;
	waiting.space = (event->weight ? 0U : UNWANTED) & 7U;
	waiting.pointer = thread;
	if (waiting.free) {
		waiting.pointer = event->pointer;
		waiting.cell = (uint32_t)thread;
		waiting.level = (g_bit_storage(event->weight) - (event->weight > 0)) & 127;
		waiting.space |= thread >= OF_CPU ? IN_INTERRUPT : 0;
	}
	if (point.role != POINT_ROLE_HIT)
		event_merge_put(durations->waiting, &waiting);
}

static void pair_until(Durations *durations, uint64_t until_ns)
{
	WaitingEvent hits[HITS_AT_A_TIME];
	unsigned count;

	while ((count = event_merge_take(durations->waiting, until_ns, hits, HITS_AT_A_TIME)))
		for (unsigned i = 0; i < count; i++) {
			const WaitingEvent *hit = &hits[i];
			uint64_t of_cpu = hit->space & IN_INTERRUPT ? OF_CPU : 0;

			if (hit->free)
				take_end(durations, hit, hit->cell | of_cpu);
			else
				take_begin(durations, hit);
		}
}

void durations_take(Durations *durations, const Events *events)
{
	uint64_t base_ns = events->header->base_time_ns;
	uint32_t *cells;

	if (!durations->first_ns || base_ns < durations->first_ns)
		durations->first_ns = base_ns;
	if (durations->cells->len < events->events_count)
		g_array_set_size(durations->cells, (guint)events->events_count);
	cells = (uint32_t *)(void *)durations->cells->data;
	profile_note_cells(durations->profile, events, cells);
	for (size_t i = 0; i < events->events_count; i++)
		if (cells[i] != PROFILE_CELL_NONE)
			durations_enqueue(durations, events, &events->events[i], cells[i]);
	if (durations->list)
		event_list_take(durations->list, events, cells);
	/* Of a stream without heartbeats, or of one with too many hits between them. */
	if (!event_merge_trim_to(durations->waiting, durations->waiting_bytes_max)) {
		pair_until(durations, UINT64_MAX);
		event_merge_trim(durations->waiting);
	}
}

void durations_release(Durations *durations, uint64_t complete_until_ns)
{
	if (complete_until_ns >= durations->first_ns + FIRST_WAIT_NS)
		pair_until(durations, complete_until_ns);
}

DurationTotals durations_totals(const Durations *durations)
{
	return durations->totals;
}

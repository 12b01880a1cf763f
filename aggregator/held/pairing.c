/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "held/pairing.h"

#include "base/saturate.h"
#include "held/live_table.h"
#include "record/address_sample.h"

enum {
	TABLE_SHARE = 70, /* percent of the memory; the events that wait have the rest */
	CPUS_MAX = 65536, /* higher numbers in a stream are damage */
	TAGS_AHEAD = 24,  /* events ahead at which the table is prefetched ... */
	SLOT_AHEAD = 12,
	RUN_EVENTS = 1024, /* merged at a time */
	DISORDER_MAX = 64, /* events of a CPU that may precede an earlier one */
};

/* At the start, some CPUs have not sent a batch yet; each sends one every 100 ms. */
#define FIRST_WAIT_NS 300000000ULL

/* The address spaces of objects, in the upper bits of their keys. */
enum { SPACE_OBJECTS, SPACE_PAGES, SPACE_PERCPU, SPACE_VMALLOC, SPACES, SPACE_BITS = 2 };

#define ADDRESS_BITS (LIVE_KEY_BITS - SPACE_BITS)
#define ADDRESS_MASK ((1ULL << ADDRESS_BITS) - 1)

/* An event that waits for the events of other CPUs. */
typedef struct {
	uint64_t time_ns;
	uint64_t pointer;
	uint32_t cell; /* of the profile */
	uint16_t cpu;
	uint8_t space;
	bool free : 1;
	bool own : 1; /* by the collector's own processes */
} Waiting;

/* The events of a CPU, in order of time. */
typedef struct {
	GArray *events; /* (element-type Waiting), owned */
	guint next;     /* the first one that was not paired yet */
} Queue;

struct Pairing {
	Profile *profile; /* borrowed */
	LiveTable *live;
	size_t bytes_max;
	GPtrArray *queues;    /* (element-type Queue), owned, by CPU; NULL: no events */
	GArray *cells;        /* (element-type uint32_t), owned: of the events of a batch */
	GArray *held;         /* (element-type uint64_t), owned: objects in use, by cell */
	size_t waiting;       /* events in all queues */
	uint64_t released_ns; /* all events before this time were paired */
	uint64_t first_ns;    /* time of the earliest batch with events; 0: none */
	uint64_t seed;
	bool cuts_frees; /* frees after the window do not count */
	unsigned level;
	uint64_t upper[SPACES]; /* the upper 16 bits of the addresses of a space */
	ProfileCounts *counts;  /* owned: of the cells, while the profile shows what is held */
	bool is_swapped;
	PairingTotals totals;
};

static void queue_free(void *pointer)
{
	Queue *queue = pointer;

	if (queue)
		g_array_unref(queue->events);
	g_free(queue);
}

Pairing *pairing_new(Profile *profile, size_t bytes_max)
{
	Pairing *pairing = g_new0(Pairing, 1);

	pairing->profile = profile;
	pairing->bytes_max = bytes_max;
	pairing->queues = g_ptr_array_new_with_free_func(queue_free);
	pairing->cells = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	pairing->held = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	return pairing;
}

void pairing_free(Pairing *pairing)
{
	if (!pairing)
		return;
	live_table_free(pairing->live);
	g_ptr_array_unref(pairing->queues);
	g_array_unref(pairing->cells);
	g_array_unref(pairing->held);
	g_free(pairing->counts);
	g_free(pairing);
}

void pairing_set_seed(Pairing *pairing, uint64_t seed)
{
	pairing->seed = seed;
}

void pairing_cut_frees(Pairing *pairing)
{
	pairing->cuts_frees = true;
}

static uint8_t space_of(uint8_t source)
{
	switch (source) {
	case KMT_SOURCE_PAGE:
		return SPACE_PAGES;
	case KMT_SOURCE_PERCPU:
		return SPACE_PERCPU;
	case KMT_SOURCE_VMALLOC:
		return SPACE_VMALLOC;
	default:
		return SPACE_OBJECTS;
	}
}

/* Objects are aligned to at least 4 bytes, and the addresses of a space differ in their lower 48
   bits. */
static inline uint64_t key_of(const Waiting *event)
{
	return (event->pointer >> 2 & ADDRESS_MASK) | (uint64_t)event->space << ADDRESS_BITS;
}

static uint64_t pointer_of(const Pairing *pairing, uint64_t key)
{
	return pairing->upper[key >> ADDRESS_BITS] << 48 | (key & ADDRESS_MASK) << 2;
}

static uint64_t scale_of(const Pairing *pairing)
{
	return 1ULL << pairing->level;
}

static inline bool is_taken(const Pairing *pairing, uint64_t pointer)
{
	return kmt_address_is_taken(pointer, pairing->seed, pairing->level);
}

static uint64_t *held_of(Pairing *pairing, uint32_t cell)
{
	return &g_array_index(pairing->held, uint64_t, cell);
}

/* The collector's own objects are only tracked, not counted. */
static inline bool is_own(const Pairing *pairing, uint32_t cell)
{
	return profile_origin(pairing->profile, profile_cell(pairing->profile, cell)->origin)->own;
}

static void drop_one(Pairing *pairing, uint32_t cell)
{
	uint64_t *held = held_of(pairing, cell);

	*held -= MIN(*held, 1);
	if (!is_own(pairing, cell))
		pairing->totals.held--;
}

/* A LiveKeeper. */
static bool keep_taken(uint64_t key, const LiveObject *object, void *user_data)
{
	Pairing *pairing = user_data;

	if (is_taken(pairing, pointer_of(pairing, key)))
		return true;
	drop_one(pairing, object->cell);
	return false;
}

/* Tracks only the objects of a higher level from now on. */
static void raise_level(Pairing *pairing, unsigned level)
{
	if (level <= pairing->level || level > KMT_ADDRESS_LEVEL_MAX)
		return;
	pairing->level = level;
	if (pairing->live)
		live_table_filter(pairing->live, keep_taken, pairing);
}

static void pair_alloc(Pairing *pairing, const Waiting *event, uint64_t key, uint64_t hash)
{
	const LiveObject object = { event->time_ns, event->cell, event->cpu };
	LiveObject replaced;
	LivePut put = live_table_put(pairing->live, key, hash, &object, &replaced);

	while (put == LIVE_FULL && pairing->level < KMT_ADDRESS_LEVEL_MAX) {
		raise_level(pairing, pairing->level + 1);
		if (!is_taken(pairing, event->pointer))
			return;
		put = live_table_put(pairing->live, key, hash, &object, &replaced);
	}
	if (put == LIVE_FULL)
		return;
	if (put == LIVE_REPLACED) {
		drop_one(pairing, replaced.cell);
		pairing->totals.recycled++;
	}
	++*held_of(pairing, event->cell);
	if (!event->own) {
		pairing->totals.held++;
		pairing->totals.allocated++;
	}
}

static void pair_free(Pairing *pairing, uint64_t key, uint64_t hash)
{
	LiveObject removed;

	if (!live_table_remove(pairing->live, key, hash, &removed)) {
		pairing->totals.unknown++;
		return;
	}
	drop_one(pairing, removed.cell);
	if (!is_own(pairing, removed.cell))
		pairing->totals.freed++;
}

/* A part of the merged events, with what is computed ahead. */
typedef struct {
	Waiting events[RUN_EVENTS];
	uint64_t hashes[RUN_EVENTS];
	guint count;
} Run;

static void pair_run(Pairing *pairing, Run *run)
{
	for (guint i = 0; i < run->count; i++)
		run->hashes[i] = live_table_hash(key_of(&run->events[i]));
	for (guint i = 0; i < run->count; i++) {
		const Waiting *event = &run->events[i];

		if (i + TAGS_AHEAD < run->count)
			live_table_prefetch_tags(pairing->live, run->hashes[i + TAGS_AHEAD]);
		if (i + SLOT_AHEAD < run->count)
			live_table_prefetch_slot(pairing->live, run->hashes[i + SLOT_AHEAD],
						 run->events[i + SLOT_AHEAD].free);
		if (!is_taken(pairing, event->pointer))
			continue;
		if (event->free)
			pair_free(pairing, key_of(event), run->hashes[i]);
		else
			pair_alloc(pairing, event, key_of(event), run->hashes[i]);
	}
	run->count = 0;
}

/* Returns the time of the next event of a queue; UINT64_MAX: none. */
static uint64_t next_ns(const Queue *queue)
{
	if (!queue || queue->next == queue->events->len)
		return UINT64_MAX;
	return g_array_index(queue->events, Waiting, queue->next).time_ns;
}

/* Finds the queue with the earliest event. *until_ns: the earliest time of all other queues. */
static Queue *earliest(const Pairing *pairing, uint64_t *until_ns)
{
	Queue *first = NULL;
	uint64_t first_ns = UINT64_MAX;

	*until_ns = UINT64_MAX;
	for (guint i = 0; i < pairing->queues->len; i++) {
		Queue *queue = g_ptr_array_index(pairing->queues, i);
		uint64_t time_ns = next_ns(queue);

		if (time_ns < first_ns) {
			*until_ns = first_ns;
			first_ns = time_ns;
			first = queue;
		} else {
			*until_ns = MIN(*until_ns, time_ns);
		}
	}
	return first;
}

static void queue_compact(Queue *queue)
{
	g_array_remove_range(queue->events, 0, queue->next);
	queue->next = 0;
}

static void compact(Pairing *pairing)
{
	for (guint i = 0; i < pairing->queues->len; i++)
		if (pairing->queues->pdata[i])
			queue_compact(pairing->queues->pdata[i]);
}

void pairing_release(Pairing *pairing, uint64_t complete_until_ns)
{
	g_autofree Run *run = NULL;
	uint64_t until_ns;
	Queue *queue;

	if (!pairing->waiting || complete_until_ns <= pairing->released_ns ||
	    complete_until_ns - pairing->first_ns < FIRST_WAIT_NS)
		return;
	run = g_new0(Run, 1);
	while ((queue = earliest(pairing, &until_ns)) && next_ns(queue) < complete_until_ns) {
		uint64_t to_ns = MIN(until_ns, complete_until_ns - 1);

		while (next_ns(queue) <= to_ns) {
			const Waiting *event =
				&g_array_index(queue->events, Waiting, queue->next++);

			if (!pairing->live)
				pairing->live = live_table_new(
					pairing->bytes_max / 100 * TABLE_SHARE, event->time_ns);
			run->events[run->count++] = *event;
			pairing->waiting--;
			if (run->count == RUN_EVENTS)
				pair_run(pairing, run);
		}
	}
	pair_run(pairing, run);
	pairing->released_ns = complete_until_ns == UINT64_MAX ? 0 : complete_until_ns;
	compact(pairing);
}

static Queue *queue_of(Pairing *pairing, uint32_t cpu)
{
	if (cpu >= CPUS_MAX)
		cpu = 0;
	if (cpu >= pairing->queues->len)
		g_ptr_array_set_size(pairing->queues, (gint)cpu + 1);
	if (!pairing->queues->pdata[cpu]) {
		Queue *queue = g_new0(Queue, 1);

		queue->events = g_array_new(FALSE, FALSE, sizeof(Waiting));
		pairing->queues->pdata[cpu] = queue;
	}
	return pairing->queues->pdata[cpu];
}

/* Interrupts nest: an event may be slightly earlier than those before it. It is put where it
   belongs, but not further back than real streams need. */
static void append(Pairing *pairing, Queue *queue, Waiting *event)
{
	Waiting *events;
	guint at = queue->events->len;
	guint first = at - MIN(at - queue->next, DISORDER_MAX);

	g_array_append_val(queue->events, *event);
	events = (Waiting *)(void *)queue->events->data;
	for (; at > first && events[at - 1].time_ns > event->time_ns; at--)
		events[at] = events[at - 1];
	if (at > queue->next)
		event->time_ns = MAX(event->time_ns, events[at - 1].time_ns);
	events[at] = *event;
	pairing->waiting++;
}

/* Much of what a command leaves behind is freed just after its end, by RCU and kworkers. */
static bool is_late_free(const Pairing *pairing, const Event *event)
{
	return event->free && !pairing->cuts_frees;
}

static void enqueue(Pairing *pairing, const Events *events)
{
	Queue *queue = queue_of(pairing, events->header->cpu);
	uint64_t base_ns = events->header->base_time_ns;

	if (!pairing->first_ns || base_ns < pairing->first_ns)
		pairing->first_ns = base_ns;
	for (size_t i = 0; i < events->events_count; i++) {
		const Event *event = &events->events[i];
		uint32_t cell = g_array_index(pairing->cells, uint32_t, i);
		Waiting waiting = {
			.time_ns = event_time_ns(events, event),
			.pointer = event->pointer,
			.cell = cell,
			.cpu = (uint16_t)events->header->cpu,
			.free = event->free,
		};

		if ((cell == PROFILE_CELL_NONE && !is_late_free(pairing, event)) ||
		    !event->pointer || event->pointer == EVENT_POINTER_UNKNOWN)
			continue;
		waiting.space = space_of(events_origin_source(events, event->origin));
		pairing->upper[waiting.space] = event->pointer >> 48;
		waiting.own = events_origin_kind(events, event->origin) == KMT_KIND_OWN;
		append(pairing, queue, &waiting);
	}
}

static unsigned level_of(uint32_t period)
{
	return period > 1 ? g_bit_storage(period - 1) : 0;
}

void pairing_take(Pairing *pairing, const Events *events)
{
	g_array_set_size(pairing->cells, (guint)events->events_count);
	profile_take_noting(pairing->profile, events, (uint32_t *)(void *)pairing->cells->data);
	g_array_set_size(pairing->held, profile_cell_count(pairing->profile));
	raise_level(pairing, level_of(events->header->sampling_period));
	enqueue(pairing, events);
	if (pairing->waiting * sizeof(Waiting) > pairing->bytes_max / 100 * (100 - TABLE_SHARE)) {
		pairing->totals.out_of_order += pairing->waiting;
		pairing_release(pairing, UINT64_MAX);
	}
}

PairingTotals pairing_totals(const Pairing *pairing)
{
	PairingTotals totals = pairing->totals;

	totals.scale = scale_of(pairing);
	totals.held = saturate_product(totals.held, totals.scale);
	return totals;
}

static ProfileCounts held_counts(const Pairing *pairing, uint32_t cell)
{
	uint64_t scale = scale_of(pairing);
	uint64_t held = saturate_product(g_array_index(pairing->held, uint64_t, cell), scale);

	return (ProfileCounts){ .events = held, .variance = saturate_product(held, scale - 1) };
}

void pairing_swap_counts(Pairing *pairing)
{
	uint32_t cells = profile_cell_count(pairing->profile);

	if (!pairing->counts) {
		pairing->counts = g_new(ProfileCounts, cells);
		for (uint32_t i = 0; i < cells; i++)
			pairing->counts[i] = i < pairing->held->len ? held_counts(pairing, i)
								    : (ProfileCounts){ 0 };
	}
	for (uint32_t i = 0; i < cells; i++)
		profile_swap_counts(pairing->profile, i, &pairing->counts[i]);
	pairing->is_swapped = !pairing->is_swapped;
	if (!pairing->is_swapped)
		g_clear_pointer(&pairing->counts, g_free);
}

size_t pairing_memory(const Pairing *pairing)
{
	size_t bytes = pairing->live ? live_table_memory(pairing->live) : 0;

	for (guint i = 0; i < pairing->queues->len; i++) {
		const Queue *queue = pairing->queues->pdata[i];

		if (queue)
			bytes += queue->events->len * sizeof(Waiting);
	}
	return bytes + pairing->held->len * sizeof(uint64_t);
}

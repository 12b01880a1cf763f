/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Allocations and frees meet here. Events wait in event_merge.c; when all CPUs have sent theirs up
 * to a time, they are paired in runs, with prefetches some events ahead. Objects are in
 * live_table.c, counters in cell_lives.c, frees in free_checks.c. When memory is
 * short, cells of processes that are gone are folded first, then the sampling level rises.
 * session/counter.c passes it the batches instead of to the profile, which it drives itself.
 */
#include "held/pairing.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/hot_assert.h"
#include "base/saturate.h"
#include "held/event_merge.h"
#include "record/address_sample.h"

enum {
	CPUS_MAX = 65536, /* higher numbers in a stream are damage */
	GROUP = 8, /* events whose prefetches follow each other: they wait at the same time */
	/* Events ahead at which the table is prefetched, and the counters of the cell. */
	TAGS_AHEAD = 3 * GROUP,
	SLOT_AHEAD = 2 * GROUP,
	LIFE_AHEAD = GROUP,
	RUN_EVENTS = 1024, /* merged at a time */
};

/* What takes memory, and what each gets in any case, in percent of the pairing's floor. */
typedef enum { PART_TABLE, PART_CELLS, PART_FREERS, PART_QUEUES, PARTS } Part;
static const unsigned floors[PARTS] = { 40, 20, 6, 20 };

/* At the start, some CPUs have not sent a batch yet; each sends one every 100 ms. */
#define FIRST_WAIT_NS 300000000ULL

/* The address spaces of objects, in the upper bits of their keys. */
enum { SPACE_OBJECTS, SPACE_PAGES, SPACE_PERCPU, SPACE_VMALLOC, SPACES, SPACE_BITS = 2 };

#define ADDRESS_BITS (LIVE_KEY_BITS - SPACE_BITS)
#define ADDRESS_MASK ((1ULL << ADDRESS_BITS) - 1)

struct Pairing {
	Profile *profile; /* borrowed */
	LiveTable *live;
	size_t bytes_max;
	MemoryBudget *memory; /* borrowed; NULL: bytes_max is all */
	EventMerge *waiting;  /* owned: the events that were not paired yet */
	GArray *cells;        /* (element-type uint32_t), owned: of the events of a batch */
	CellLives *lives;     /* owned */
	Freers *freers;       /* owned; NULL: not wanted */
	FreeChecks *checks;   /* owned */
	uint64_t released_ns; /* all events before this time were paired */
	uint64_t end_ns;      /* of the newest event that was paired, or released_ns */
	uint64_t last_loss_ns;
	uint64_t first_ns; /* time of the earliest batch with events; 0: none */
	uint64_t seed;
	bool by_bits;    /* addresses are sampled by their bits first */
	bool cuts_frees; /* frees after the window do not count */
	unsigned level;
	uint64_t folded_ns;     /* when cells were folded last, as released_ns; 0: never */
	uint32_t folded_to;     /* how many cells there were then */
	uint64_t upper[SPACES]; /* the upper 16 bits of the addresses of a space */
	PairingTotals totals;
};

static size_t floor_of(const Pairing *pairing, Part part)
{
	hot_assert(part < G_N_ELEMENTS(floors));
	return pairing->bytes_max / 100 * floors[part];
}

static size_t memory_of(const Pairing *pairing, Part part)
{
	switch (part) {
	case PART_TABLE:
		return pairing->live ? live_table_memory(pairing->live) : 0;
	case PART_CELLS:
		return cell_lives_memory(pairing->lives);
	case PART_FREERS:
		return pairing->freers ? freers_memory(pairing->freers) : 0;
	default:
		return event_merge_memory(pairing->waiting);
	}
}

/* Returns how much memory a part may take: all others can still have their floors. */
static size_t limit_of(const Pairing *pairing, Part part)
{
	size_t limit = pairing->memory ? memory_budget_limit(pairing->memory, MEMORY_PAIRING)
				       : pairing->bytes_max;
	size_t others = free_checks_memory(pairing->checks);

	for (Part other = 0; other < PARTS; other++)
		if (other != part)
			others += MAX(memory_of(pairing, other), floor_of(pairing, other));
	return limit - MIN(limit, others);
}

Pairing *pairing_new(Profile *profile, size_t bytes_max)
{
	Pairing *pairing = g_new0(Pairing, 1);

	pairing->profile = profile;
	pairing->bytes_max = bytes_max;
	pairing->waiting = event_merge_new();
	pairing->cells = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	pairing->lives = cell_lives_new(floor_of(pairing, PART_CELLS));
	pairing->checks = free_checks_new(profile);
	profile_prepare_folding(profile);
	return pairing;
}

void pairing_free(Pairing *pairing)
{
	if (!pairing)
		return;
	live_table_free(pairing->live);
	event_merge_free(pairing->waiting);
	g_array_unref(pairing->cells);
	cell_lives_free(pairing->lives);
	freers_free(pairing->freers);
	free_checks_free(pairing->checks);
	g_free(pairing);
}

void pairing_set_budget(Pairing *pairing, MemoryBudget *memory)
{
	pairing->memory = memory;
}

void pairing_set_seed(Pairing *pairing, uint64_t seed, bool by_bits)
{
	pairing->seed = seed;
	pairing->by_bits = by_bits;
}

void pairing_note_freers(Pairing *pairing)
{
	if (!pairing->freers)
		pairing->freers = freers_new(floor_of(pairing, PART_FREERS));
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
static inline uint64_t key_of(const WaitingEvent *event)
{
	return (event->pointer >> 2 & ADDRESS_MASK) | (uint64_t)event->space << ADDRESS_BITS;
}

static uint64_t scale_of(const Pairing *pairing)
{
	return 1ULL << pairing->level;
}

static inline bool is_taken(const Pairing *pairing, uint64_t pointer)
{
	return pairing->by_bits
		       ? kmt_address_is_taken_by_bits(pointer, pairing->seed, pairing->level)
		       : kmt_address_is_taken(pointer, pairing->seed, pairing->level);
}

/* The collector's own objects are only tracked, not counted. */
static inline bool is_own(const Pairing *pairing, uint32_t cell)
{
	return cell_lives_life(pairing->lives, cell)->own;
}

/* A LiveKeeper. */
static bool keep_taken(uint64_t key, const LiveObject *object, void *user_data)
{
	Pairing *pairing = user_data;
	uint64_t pointer = pairing->upper[key >> ADDRESS_BITS] << 48 | (key & ADDRESS_MASK) << 2;

	if (is_taken(pairing, pointer))
		return true;
	cell_lives_dropped(pairing->lives, object->cell);
	return false;
}

/* Tracks only the objects of a higher level from now on. */
static void raise_level(Pairing *pairing, unsigned level)
{
	if (level <= pairing->level || level > KMT_ADDRESS_LEVEL_MAX)
		return;
	cell_lives_before_scale(pairing->lives, scale_of(pairing));
	pairing->level = level;
	if (pairing->live)
		live_table_filter(pairing->live, keep_taken, pairing);
	cell_lives_after_scale(pairing->lives, scale_of(pairing));
}

/* A free was lost, if any event was since the first allocation; else nothing saw the free. */
static void pair_recycled(Pairing *pairing, const WaitingEvent *event, const LiveObject *replaced)
{
	bool is_unexplained = replaced->time_ns > pairing->last_loss_ns;

	cell_lives_recycled(pairing->lives, replaced->cell, event->time_ns, scale_of(pairing),
			    is_unexplained);
	pairing->totals.recycled++;
}

static void pair_alloc(Pairing *pairing, const WaitingEvent *event, uint64_t key, uint64_t hash)
{
	const LiveObject object = { event->time_ns, event->cell, event->cpu };
	LiveObject replaced;
	LivePut put = live_table_put(pairing->live, key, hash, &object, &replaced);

	if (put == LIVE_FULL && live_table_set_memory(pairing->live, limit_of(pairing, PART_TABLE)))
		put = live_table_put(pairing->live, key, hash, &object, &replaced);
	while (put == LIVE_FULL && pairing->level < KMT_ADDRESS_LEVEL_MAX) {
		raise_level(pairing, pairing->level + 1);
		if (!is_taken(pairing, event->pointer))
			return;
		put = live_table_put(pairing->live, key, hash, &object, &replaced);
	}
	if (put == LIVE_FULL)
		return;
	if (put == LIVE_REPLACED)
		pair_recycled(pairing, event, &replaced);
	cell_lives_allocated(pairing->lives, event->cell, event->time_ns, scale_of(pairing));
	if (!is_own(pairing, event->cell))
		pairing->totals.allocated += scale_of(pairing);
}

static void note_freer(Pairing *pairing, const WaitingEvent *event, uint32_t cell,
		       const EndedLife *ended)
{
	uint64_t scale = scale_of(pairing);
	const Freer freer = {
		.cell = cell,
		.origin = event->cell == PROFILE_CELL_NONE
				  ? ORIGIN_ID_OVERFLOW
				  : profile_cell(pairing->profile, event->cell)->origin,
		.freed = scale,
		.freed_early = ended->freed_ns < ended->allocated_ns + SHORT_LIFE_NS ? scale : 0,
		.freed_apart = ended->apart ? scale : 0,
	};

	freers_add(pairing->freers, &freer);
}

static void pair_free(Pairing *pairing, const WaitingEvent *event, uint64_t key, uint64_t hash)
{
	const CheckedFree freed = { key, hash, event->cell, event->kind,
				    event->time_ns <= pairing->last_loss_ns };
	LiveObject removed;
	EndedLife ended;

	if (!live_table_remove(pairing->live, key, hash, &removed)) {
		pairing->totals.unknown++;
		free_checks_unpaired(pairing->checks, &freed);
		return;
	}
	free_checks_paired(pairing->checks, &freed, removed.cell);
	ended = (EndedLife){ removed.time_ns, event->time_ns,
			     removed.cpu != (event->cpu & LIVE_CPU_MASK) };
	cell_lives_freed(pairing->lives, removed.cell, &ended, scale_of(pairing));
	if (pairing->freers)
		note_freer(pairing, event, removed.cell, &ended);
	if (!is_own(pairing, removed.cell))
		pairing->totals.freed += scale_of(pairing);
}

/* A part of the merged events, with what is computed ahead. */
typedef struct {
	WaitingEvent events[RUN_EVENTS];
	uint64_t hashes[RUN_EVENTS];
	unsigned count;
} Run;

/* Prefetches for groups of events that follow. What happens to the table until then makes no
   difference to most of them. */
static inline void pairing_prefetch(const Pairing *pairing, const Run *run, guint at)
{
	for (guint i = at + TAGS_AHEAD; i < MIN(at + TAGS_AHEAD + GROUP, run->count); i++)
		live_table_prefetch_tags(pairing->live, run->hashes[i]);
	for (guint i = at + SLOT_AHEAD; i < MIN(at + SLOT_AHEAD + GROUP, run->count); i++)
		live_table_prefetch_slot(pairing->live, run->hashes[i], run->events[i].free);
	for (guint i = at + LIFE_AHEAD; i < MIN(at + LIFE_AHEAD + GROUP, run->count); i++) {
		const WaitingEvent *event = &run->events[i];
		uint32_t cell = event->free ? live_table_likely_cell(pairing->live, run->hashes[i])
					    : event->cell;

		cell_lives_prefetch(pairing->lives, cell, event->time_ns, event->free);
	}
}

static void pair_run(Pairing *pairing, Run *run)
{
	for (guint i = 0; i < run->count; i++)
		run->hashes[i] = live_table_hash(key_of(&run->events[i]));
	for (guint i = 0; i < run->count; i++) {
		const WaitingEvent *event = &run->events[i];

		if (i % GROUP == 0)
			pairing_prefetch(pairing, run, i);
		if (!is_taken(pairing, event->pointer))
			continue;
		if (event->free)
			pair_free(pairing, event, key_of(event), run->hashes[i]);
		else
			pair_alloc(pairing, event, key_of(event), run->hashes[i]);
	}
}

void pairing_release(Pairing *pairing, uint64_t complete_until_ns, uint64_t last_loss_ns)
{
	g_autofree Run *run = NULL;

	/* What was lost may be the allocation of an object that was free. */
	if (last_loss_ns != pairing->last_loss_ns)
		free_checks_forget(pairing->checks);
	pairing->last_loss_ns = last_loss_ns;
	if (!event_merge_count(pairing->waiting) || complete_until_ns <= pairing->released_ns ||
	    complete_until_ns - pairing->first_ns < FIRST_WAIT_NS)
		return;
	run = g_new(Run, 1);
	while ((run->count = event_merge_take(pairing->waiting, complete_until_ns, run->events,
					      RUN_EVENTS))) {
		/* The table, and the first part of the run, begin with the first event. */
		if (!pairing->live) {
			pairing->live = live_table_new(floor_of(pairing, PART_TABLE),
						       run->events[0].time_ns);
			cell_lives_start(pairing->lives, run->events[0].time_ns);
		}
		pairing->end_ns = run->events[run->count - 1].time_ns;
		pair_run(pairing, run);
	}
	pairing->released_ns = complete_until_ns == UINT64_MAX ? 0 : complete_until_ns;
	pairing->end_ns = MAX(pairing->end_ns, pairing->released_ns);
}

static bool is_paired(Pairing *pairing, const Event *event, uint32_t cell)
{
	/* Much of what a command leaves behind is freed just after its end, by RCU and kworkers. */
	bool is_late_free = event->free && !pairing->cuts_frees;

	if ((cell == PROFILE_CELL_NONE && !is_late_free) || !event->pointer ||
	    event->pointer == EVENT_POINTER_UNKNOWN)
		return false;
	if (event->free || cell < cell_lives_count(pairing->lives))
		return true;
	pairing->totals.over_bound++;
	return false;
}

static void pairing_enqueue(Pairing *pairing, const Events *events)
{
	uint32_t cpu = events->header->cpu;
	uint64_t base_ns = events->header->base_time_ns;

	if (!pairing->first_ns || base_ns < pairing->first_ns)
		pairing->first_ns = base_ns;
	for (size_t i = 0; i < events->events_count; i++) {
		const Event *event = &events->events[i];
		uint32_t cell = g_array_index(pairing->cells, uint32_t, i);
		WaitingEvent waiting = {
			.time_ns = event_time_ns(events, event),
			.pointer = event->pointer,
			.cell = cell,
			.cpu = cpu < CPUS_MAX ? (uint16_t)cpu : 0,
			.free = event->free,
		};

		if (!is_paired(pairing, event, cell))
			continue;
		waiting.space = space_of(events_origin_source(events, event->origin)) & 7U;
		waiting.kind = events_origin_kind(events, event->origin) & 31U;
		pairing->upper[waiting.space] = event->pointer >> 48;
		event_merge_put(pairing->waiting, &waiting);
	}
}

static void describe_cell(Pairing *pairing, uint32_t cell)
{
	const ProfileOrigin *origin =
		profile_origin(pairing->profile, profile_cell(pairing->profile, cell)->origin);

	cell_lives_describe(pairing->lives, cell, origin->bytes_allocated,
			    origin->own || origin->free);
}

/* Every cell has counters, as far as memory allows. */
static void describe_cells(Pairing *pairing)
{
	uint32_t reused_count;
	const uint32_t *reused = profile_cells_reused(pairing->profile, &reused_count);
	uint32_t known = cell_lives_count(pairing->lives);
	uint32_t wanted = profile_cell_count(pairing->profile);
	uint32_t cells = cell_lives_grow(pairing->lives, wanted);

	free_checks_describe(pairing->checks);
	for (uint32_t i = known; i < cells; i++)
		describe_cell(pairing, i);
	for (uint32_t i = 0; i < reused_count; i++)
		describe_cell(pairing, reused[i]);
	profile_cells_forget_reused(pairing->profile);
}

static void keep_to_limit(Pairing *pairing)
{
	if (pairing->memory)
		memory_budget_set(pairing->memory, MEMORY_PAIRING,
				  MIN(pairing_memory(pairing),
				      memory_budget_limit(pairing->memory, MEMORY_PAIRING)));
	if (event_merge_trim_to(pairing->waiting, limit_of(pairing, PART_QUEUES)))
		return;
	pairing->totals.out_of_order += event_merge_count(pairing->waiting);
	pairing_release(pairing, UINT64_MAX, pairing->last_loss_ns);
	event_merge_trim(pairing->waiting);
}

/*
 * A process that ended with nothing held leaves cells that no later event needs. When there is no
 * more memory, what they counted goes to cells of all processes of that name.
 */

/* A process is taken for ended if it had no event for so long. If it was not, what it does later
   has its pid again. */
#define FOLD_IDLE_NS 1000000000ULL

/* Folding takes time: it has to be worth it, or is tried again after some seconds. */
#define FOLD_EVERY_NS 500000000ULL
#define FOLD_AGAIN_NS 5000000000ULL
enum { FOLD_PART = 8 };

typedef struct {
	Pairing *pairing;
	bool *waits;     /* owned, by cell: events that were not paired yet have it */
	uint32_t *moved; /* owned, by cell: where its counts are; NULL: not wanted */
	uint64_t idle_since_ns;
} Fold;

/* A WaitingVisitor. */
static void note_waiting(const WaitingEvent *event, void *user_data)
{
	Fold *fold = user_data;

	if (event->cell != PROFILE_CELL_NONE)
		fold->waits[event->cell] = true;
}

/* A CellChooser. */
static bool is_done(uint32_t cell, void *user_data)
{
	const Fold *fold = user_data;
	const Profile *profile = fold->pairing->profile;
	TaskId task = profile_cell(profile, cell)->task;

	return cell < cell_lives_count(fold->pairing->lives) && !fold->waits[cell] &&
	       !cell_lives_life(fold->pairing->lives, cell)->live &&
	       profile_task_seen_ns(profile, task) < fold->idle_since_ns;
}

/* A CellMover. */
static void move_lives(uint32_t from, uint32_t to, void *user_data)
{
	Fold *fold = user_data;

	cell_lives_move(fold->pairing->lives, from, to, scale_of(fold->pairing));
	if (fold->moved)
		fold->moved[from] = to;
}

static void fold_cells(Pairing *pairing)
{
	uint32_t cells = profile_cell_count(pairing->profile);
	g_autofree bool *waits = g_new0(bool, cells);
	g_autofree uint32_t *moved = pairing->freers ? g_new(uint32_t, cells) : NULL;
	Fold fold = { pairing, waits, moved, pairing->released_ns - FOLD_IDLE_NS };

	for (uint32_t i = 0; moved && i < cells; i++)
		moved[i] = i;
	event_merge_each(pairing->waiting, note_waiting, &fold);
	profile_fold_cells(pairing->profile, is_done, move_lives, &fold);
	if (pairing->freers)
		freers_move(pairing->freers, moved);
	pairing->folded_ns = pairing->released_ns;
	pairing->folded_to = cells - profile_cells_free(pairing->profile);
}

static bool may_fold(const Pairing *pairing)
{
	uint32_t cells =
		profile_cell_count(pairing->profile) - profile_cells_free(pairing->profile);
	uint64_t passed_ns = pairing->released_ns - MIN(pairing->folded_ns, pairing->released_ns);

	if (pairing->released_ns <= FOLD_IDLE_NS)
		return false;
	return passed_ns >= FOLD_AGAIN_NS ||
	       (passed_ns >= FOLD_EVERY_NS &&
		cells - MIN(pairing->folded_to, cells) >= cells / FOLD_PART);
}

static bool lives_have_room(const Pairing *pairing, size_t events)
{
	size_t wanted = profile_cell_count(pairing->profile) + events +
			profile_cells_to_come(pairing->profile);

	return wanted - MIN(profile_cells_free(pairing->profile), events) <=
	       cell_lives_max(pairing->lives);
}

static bool all_have_room(const Pairing *pairing, size_t events)
{
	const Freers *freers = pairing->freers;

	return lives_have_room(pairing, events) && profile_has_room(pairing->profile, events) &&
	       (!freers || freers_have_room(freers, events + event_merge_count(pairing->waiting)));
}

/* Lets cells take 1/part of what the others leave. */
static bool take_memory(Pairing *pairing, size_t events, unsigned part)
{
	cell_lives_set_memory(pairing->lives, limit_of(pairing, PART_CELLS) / part);
	if (pairing->freers)
		freers_set_memory(pairing->freers, limit_of(pairing, PART_FREERS) / part);
	return all_have_room(pairing, events);
}

/* Each event of a batch may make a cell. Cells are folded before they take what objects and queues
   may need. Without memory for the counters of another one, these are cells that many events
   share. */
static void make_room_for_cells(Pairing *pairing, size_t events)
{
	if (all_have_room(pairing, events) || take_memory(pairing, events, 2))
		return;
	if (may_fold(pairing))
		fold_cells(pairing);
	if (!all_have_room(pairing, events))
		take_memory(pairing, events, 1);
	if (!lives_have_room(pairing, events))
		profile_close_cells(pairing->profile);
}

void pairing_take(Pairing *pairing, const Events *events)
{
	uint32_t period = events->header->sampling_period;

	make_room_for_cells(pairing, events->events_count);
	g_array_set_size(pairing->cells, (guint)events->events_count);
	profile_take_noting(pairing->profile, events, (uint32_t *)(void *)pairing->cells->data);
	describe_cells(pairing);
	raise_level(pairing, period > 1 ? g_bit_storage(period - 1) : 0);
	pairing_enqueue(pairing, events);
	keep_to_limit(pairing);
}

PairingTotals pairing_totals(const Pairing *pairing)
{
	PairingTotals totals = pairing->totals;
	uint64_t held = 0;

	for (uint32_t i = 0; i < cell_lives_count(pairing->lives); i++)
		held += is_own(pairing, i) ? 0 : cell_lives_life(pairing->lives, i)->live;
	totals.scale = scale_of(pairing);
	totals.held = saturate_product(held, totals.scale);
	return totals;
}

uint64_t pairing_over_bound(const Pairing *pairing)
{
	return pairing->totals.over_bound;
}

uint64_t pairing_end_ns(const Pairing *pairing)
{
	return pairing->end_ns;
}

const CellLives *pairing_lives(const Pairing *pairing)
{
	return pairing->lives;
}

const Profile *pairing_profile(const Pairing *pairing)
{
	return pairing->profile;
}

FreeChecksTotals pairing_checks(const Pairing *pairing)
{
	return free_checks_totals(pairing->checks);
}

const Freers *pairing_freers(const Pairing *pairing)
{
	return pairing->freers;
}

void pairing_each_object(const Pairing *pairing, LiveVisitor visit, void *user_data)
{
	if (pairing->live)
		live_table_each(pairing->live, visit, user_data);
}

size_t pairing_memory(const Pairing *pairing)
{
	size_t bytes = cell_lives_memory(pairing->lives) + event_merge_memory(pairing->waiting) +
		       free_checks_memory(pairing->checks);

	if (pairing->live)
		bytes += live_table_memory(pairing->live);
	if (pairing->freers)
		bytes += freers_memory(pairing->freers);
	return bytes;
}

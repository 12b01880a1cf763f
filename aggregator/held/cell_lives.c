/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened to the objects of each cell: an array beside the profile's cells, one cache line
 * for the counters in use. Parts of the run double in length when it outlasts them. pairing.c
 * reports each allocation and free.
 */
#include "held/cell_lives.h"

#include "base/hot_assert.h"

#include <stdlib.h>
#include <string.h>

/* Of an object: more is damage, and would overflow sums. */
#define BYTES_MAX (1ULL << 40)

enum {
	PART_SHIFT_FIRST = 24, /* the first parts have 2^24 ns: 16.8 ms */
	LIFE_SHIFT = 10,       /* 2^10 ns: see life_class() */
	CACHE_LINE_BYTES = 64,
};

/* An event needs one cache line of each array. */
typedef struct {
	CellLife life;
	CellTimes times;
} __attribute__((aligned(CACHE_LINE_BYTES))) Cell;

struct CellLives {
	Cell *cells; /* owned */
	uint32_t count;
	uint32_t capacity;
	uint32_t cells_max;
	uint64_t start_ns;
	unsigned part_shift; /* a part of the run has 2^part_shift ns */
	uint64_t peak;       /* number of the peak: each one exceeds all before */
	LivesTotals totals;
};

void cell_lives_set_memory(CellLives *lives, size_t bytes_max)
{
	lives->cells_max = MAX(lives->cells_max, (uint32_t)MIN(bytes_max / sizeof(Cell), G_MAXINT));
}

uint32_t cell_lives_max(const CellLives *lives)
{
	return lives->cells_max;
}

CellLives *cell_lives_new(size_t bytes_max)
{
	CellLives *lives = g_new0(CellLives, 1);

	cell_lives_set_memory(lives, bytes_max);
	lives->part_shift = PART_SHIFT_FIRST;
	return lives;
}

void cell_lives_free(CellLives *lives)
{
	if (!lives)
		return;
	free(lives->cells);
	g_free(lives);
}

static void set_capacity(CellLives *lives, uint32_t capacity)
{
	Cell *cells = aligned_alloc(CACHE_LINE_BYTES, capacity * sizeof(Cell));

	hot_assert(capacity >= lives->count);
	if (!cells)
		g_error("no memory for %u cells", capacity);
	if (lives->count)
		memcpy(cells, lives->cells, lives->count * sizeof(Cell));
	memset(cells + lives->count, 0, (capacity - lives->count) * sizeof(Cell));
	free(lives->cells);
	lives->cells = cells;
	lives->capacity = capacity;
}

uint32_t cell_lives_grow(CellLives *lives, uint32_t cells)
{
	uint32_t wanted = MIN(cells, lives->cells_max);

	if (wanted > lives->capacity)
		set_capacity(lives, MIN(wanted + wanted / 2, lives->cells_max));
	lives->count = MAX(lives->count, wanted);
	return lives->count;
}

static inline CellLife *life_of(const CellLives *lives, uint32_t cell)
{
	hot_assert(cell < lives->count);
	return &lives->cells[cell].life;
}

static inline CellTimes *times_of(const CellLives *lives, uint32_t cell)
{
	hot_assert(cell < lives->count);
	return &lives->cells[cell].times;
}

void cell_lives_describe(CellLives *lives, uint32_t cell, uint64_t bytes, bool own)
{
	CellLife *life = life_of(lives, cell);

	life->bytes = MIN(bytes, BYTES_MAX) & INT64_MAX;
	life->own = own;
}

void cell_lives_start(CellLives *lives, uint64_t start_ns)
{
	lives->start_ns = start_ns;
}

static inline void add_part(uint32_t *number, uint64_t added)
{
	*number = added > UINT32_MAX - *number ? UINT32_MAX : *number + (uint32_t)added;
}

/* Every two parts become one. */
static void merge_parts(uint32_t parts[RUN_PARTS])
{
	for (unsigned i = 0; i < RUN_PARTS / 2; i++) {
		uint32_t later = parts[2 * i + 1];

		parts[i] = parts[2 * i];
		add_part(&parts[i], later);
	}
	for (unsigned i = RUN_PARTS / 2; i < RUN_PARTS; i++)
		parts[i] = 0;
}

static void lengthen_parts(CellLives *lives)
{
	lives->part_shift++;
	for (uint32_t i = 0; i < lives->count; i++) {
		merge_parts(times_of(lives, i)->allocated);
		merge_parts(times_of(lives, i)->gone);
	}
}

static inline uint64_t part_of(CellLives *lives, uint64_t time_ns)
{
	uint64_t since_ns = time_ns > lives->start_ns ? time_ns - lives->start_ns : 0;

	while (since_ns >> lives->part_shift >= RUN_PARTS)
		lengthen_parts(lives);
	return since_ns >> lives->part_shift;
}

/* To call before a cell changes: what it had at the newest peak is what it has now. */
static inline void note_peak(const CellLives *lives, CellLife *life, uint64_t scale)
{
	if (life->peak == lives->peak)
		return;
	life->at_peak = life->live * scale;
	life->peak = lives->peak;
}

static inline void remove_live(CellLives *lives, CellLife *life, uint64_t scale)
{
	uint64_t bytes = life->own ? 0 : life->bytes * scale;

	note_peak(lives, life, scale);
	life->live -= MIN(life->live, 1);
	lives->totals.bytes -= MIN(lives->totals.bytes, bytes);
}

void cell_lives_prefetch(const CellLives *lives, uint32_t cell, uint64_t time_ns, bool is_free)
{
	const CellTimes *times;
	uint64_t part = (time_ns - lives->start_ns) >> lives->part_shift & (RUN_PARTS - 1);

	if (cell >= lives->count)
		return;
	times = times_of(lives, cell);
	__builtin_prefetch(life_of(lives, cell), 1);
	__builtin_prefetch(is_free ? &times->gone[part] : &times->allocated[part], 1);
	if (is_free)
		__builtin_prefetch(times->lifetimes, 1);
}

void cell_lives_allocated(CellLives *lives, uint32_t cell, uint64_t time_ns, uint64_t scale)
{
	uint64_t part = part_of(lives, time_ns);
	CellLife *life = life_of(lives, cell);
	LivesTotals *totals = &lives->totals;

	note_peak(lives, life, scale);
	life->live++;
	if (!life->own)
		totals->bytes += life->bytes * scale;
	add_part(&times_of(lives, cell)->allocated[part], scale);
	if (totals->bytes <= totals->peak_bytes)
		return;
	totals->peak_bytes = totals->bytes;
	totals->peak_ns = time_ns;
	lives->peak++;
}

#define US 1000ULL
#define MS 1000000ULL
#define S 1000000000ULL

const uint64_t life_limits_ns[LIFE_CLASSES - 1] = {
	1 * US,  4 * US,   15 * US, 60 * US, 250 * US, 1 * MS, 4 * MS,  15 * MS,
	60 * MS, 250 * MS, 1 * S,   4 * S,   15 * S,   60 * S, 250 * S,
};

/* The class by powers of four is the same or, below its limit, the one before. */
static inline unsigned life_class(uint64_t lifetime_ns)
{
	unsigned bits = lifetime_ns >> LIFE_SHIFT ? g_bit_storage(lifetime_ns >> LIFE_SHIFT) : 0;
	unsigned class = MIN((bits + 1) / 2, LIFE_CLASSES - 1);

	return class < LIFE_CLASSES - 1 && lifetime_ns >= life_limits_ns[class] ? class + 1 : class;
}

void cell_lives_freed(CellLives *lives, uint32_t cell, const EndedLife *ended, uint64_t scale)
{
	CellLife *life = life_of(lives, cell);
	CellTimes *times;
	uint64_t lifetime_ns =
		ended->freed_ns > ended->allocated_ns ? ended->freed_ns - ended->allocated_ns : 0;
	uint64_t part = part_of(lives, ended->freed_ns);

	remove_live(lives, life, scale);
	life->freed += scale;
	life->freed_early += lifetime_ns < SHORT_LIFE_NS ? scale : 0;
	life->freed_apart += ended->apart ? scale : 0;
	times = times_of(lives, cell);
	add_part(&times->lifetimes[life_class(lifetime_ns)], scale);
	add_part(&times->gone[part], scale);
}

void cell_lives_recycled(CellLives *lives, uint32_t cell, uint64_t time_ns, uint64_t scale,
			 bool is_unexplained)
{
	CellLife *life = life_of(lives, cell);
	uint64_t part = part_of(lives, time_ns);

	remove_live(lives, life, scale);
	life->recycled += is_unexplained ? scale : 0;
	add_part(&times_of(lives, cell)->gone[part], scale);
}

static void add_parts(uint32_t *to, const uint32_t *from, unsigned parts)
{
	for (unsigned i = 0; i < parts; i++)
		add_part(&to[i], from[i]);
}

void cell_lives_move(CellLives *lives, uint32_t from, uint32_t to, uint64_t scale)
{
	CellLife *life = life_of(lives, to);
	const CellLife *moved = life_of(lives, from);
	const CellTimes *times = times_of(lives, from);

	g_assert(from < lives->count && to < lives->count);
	note_peak(lives, life, scale);
	life->at_peak += cell_lives_at_peak(lives, from, scale);
	life->freed += moved->freed;
	life->freed_early += moved->freed_early;
	life->freed_apart += moved->freed_apart;
	life->recycled += moved->recycled;
	add_parts(times_of(lives, to)->lifetimes, times->lifetimes, LIFE_CLASSES);
	add_parts(times_of(lives, to)->allocated, times->allocated, RUN_PARTS);
	add_parts(times_of(lives, to)->gone, times->gone, RUN_PARTS);
	memset(&lives->cells[from], 0, sizeof(Cell));
}

void cell_lives_before_scale(CellLives *lives, uint64_t scale)
{
	for (uint32_t i = 0; i < lives->count; i++)
		note_peak(lives, life_of(lives, i), scale);
}

void cell_lives_dropped(CellLives *lives, uint32_t cell)
{
	CellLife *life = life_of(lives, cell);

	life->live -= MIN(life->live, 1);
}

void cell_lives_after_scale(CellLives *lives, uint64_t scale)
{
	uint64_t bytes = 0;

	for (uint32_t i = 0; i < lives->count; i++) {
		const CellLife *life = life_of(lives, i);

		bytes += life->own ? 0 : life->live * life->bytes * scale;
	}
	lives->totals.bytes = bytes;
}

uint32_t cell_lives_count(const CellLives *lives)
{
	return lives->count;
}

const CellLife *cell_lives_life(const CellLives *lives, uint32_t cell)
{
	return life_of(lives, cell);
}

const CellTimes *cell_lives_times(const CellLives *lives, uint32_t cell)
{
	return times_of(lives, cell);
}

uint64_t cell_lives_at_peak(const CellLives *lives, uint32_t cell, uint64_t scale)
{
	const CellLife *life = life_of(lives, cell);

	return life->peak == lives->peak ? life->at_peak : life->live * scale;
}

LivesTotals cell_lives_totals(const CellLives *lives)
{
	return lives->totals;
}

uint64_t cell_lives_part_ns(const CellLives *lives, uint64_t *start_ns)
{
	*start_ns = lives->start_ns;
	return 1ULL << lives->part_shift;
}

size_t cell_lives_memory(const CellLives *lives)
{
	return sizeof(*lives) + (size_t)lives->capacity * sizeof(Cell);
}

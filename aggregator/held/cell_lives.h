/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * CellLives counts, for each cell of a profile, the lives of its objects: how many are in use, how
 * many were when most memory was in use, how long the freed ones lived, and when they came and
 * went.
 *
 * Every function is called per event. Objects in use are tracked objects; all other numbers are
 * estimates: an event counts as many objects as it stands for.
 */
typedef struct CellLives CellLives;

/* The classes of lifetimes: below 1 us, 4 us, 15 us, 60 us, 250 us, 1 ms and so on; the last has no
   limit. */
enum { LIFE_CLASSES = 16 };

/* The limits of all but the last, in ns. */
extern const uint64_t life_limits_ns[LIFE_CLASSES - 1];

/* The parts of the run; all are equally long, and of them at least half are used. */
enum { RUN_PARTS = 16 };

/* A lifetime below this is short. */
#define SHORT_LIFE_NS 1000000

typedef struct {
	uint64_t live;    /* tracked objects in use */
	uint64_t at_peak; /* objects in use at the peak with number `peak`; see cell_lives_at_peak()
			   */
	uint64_t peak;
	uint64_t bytes : 63; /* of an object */
	uint64_t own : 1;    /* objects of the collector itself: they are in no sum */
	uint64_t freed;
	uint64_t freed_early; /* of these: after a short life */
	uint64_t freed_apart; /* ... on a different CPU */
	uint64_t recycled;    /* not freed, but their address was allocated again */
} CellLife;

/* The same over time. Numbers saturate. */
typedef struct {
	uint32_t lifetimes[LIFE_CLASSES];
	uint32_t allocated[RUN_PARTS]; /* by part of the run */
	uint32_t gone[RUN_PARTS];      /* freed or recycled */
} CellTimes;

/* Sums over all cells, and the peak. */
typedef struct {
	uint64_t bytes; /* in use */
	uint64_t peak_bytes;
	uint64_t peak_ns; /* when; 0: nothing was ever in use */
} LivesTotals;

/* A life that has ended. */
typedef struct {
	uint64_t allocated_ns;
	uint64_t freed_ns;
	bool apart; /* freed on another CPU */
} EndedLife;

/* Returns counters that use at most about bytes_max bytes. Free them with cell_lives_free(). */
CellLives *cell_lives_new(size_t bytes_max);
void cell_lives_free(CellLives *lives);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CellLives, cell_lives_free)

/* Returns how many cells the limit allows. */
uint32_t cell_lives_max(const CellLives *lives);

/* Raises the limit; a lower one changes nothing. */
void cell_lives_set_memory(CellLives *lives, size_t bytes_max);

/* Adds cells, up to this number of cells. Returns how many there are: fewer if memory is full. */
uint32_t cell_lives_grow(CellLives *lives, uint32_t cells);

/* Sets what all objects of a new cell have in common. */
void cell_lives_describe(CellLives *lives, uint32_t cell, uint64_t bytes, bool own);

/* Begins the first part of the run. */
void cell_lives_start(CellLives *lives, uint64_t start_ns);

/* Prefetches what counting an event of a cell needs. A number of a cell that does not exist is
   ignored. */
void cell_lives_prefetch(const CellLives *lives, uint32_t cell, uint64_t time_ns, bool is_free);

/* Count an event that stands for this number of objects, a power of two. */
void cell_lives_allocated(CellLives *lives, uint32_t cell, uint64_t time_ns, uint64_t scale);
void cell_lives_freed(CellLives *lives, uint32_t cell, const EndedLife *life, uint64_t scale);
void cell_lives_recycled(CellLives *lives, uint32_t cell, uint64_t time_ns, uint64_t scale,
			 bool is_unexplained);

/* Adds the lives of a cell without objects in use to those of another one with equal objects, and
   makes it a new cell. */
void cell_lives_move(CellLives *lives, uint32_t from, uint32_t to, uint64_t scale);

/* Before the scale rises: notes what was in use at the peak, in the old scale. */
void cell_lives_before_scale(CellLives *lives, uint64_t scale);
/* An object is not tracked any more; the others stand for it from now on. */
void cell_lives_dropped(CellLives *lives, uint32_t cell);
/* After that: adds up what is in use again. */
void cell_lives_after_scale(CellLives *lives, uint64_t scale);

/* Return the number of cells, and of a cell below it the life and the times; borrowed, until a cell
   is added. */
uint32_t cell_lives_count(const CellLives *lives);
const CellLife *cell_lives_life(const CellLives *lives, uint32_t cell);
const CellTimes *cell_lives_times(const CellLives *lives, uint32_t cell);

/* Returns the objects of a cell that were in use at the peak. */
uint64_t cell_lives_at_peak(const CellLives *lives, uint32_t cell, uint64_t scale);

/* Returns the sums over all cells. */
LivesTotals cell_lives_totals(const CellLives *lives);

/* Returns the length of a part of the run. The first part begins at *start_ns. */
uint64_t cell_lives_part_ns(const CellLives *lives, uint64_t *start_ns);

/* Returns the memory in use, in bytes. */
size_t cell_lives_memory(const CellLives *lives);

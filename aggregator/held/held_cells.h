/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "held/held_sums.h"
#include "held/pairing.h"

#include <stddef.h>

/*
 * HeldCells is what a report about held objects counts: the cells of the profile with what they
 * hold at that moment. Pairing can go on afterwards.
 */
typedef struct HeldCells HeldCells;

/* The classes of ages: the limits are 1, 10, 60 and 600 s; the last class has none. */
enum { AGE_CLASSES = 5, AGE_CLASS_NONE = AGE_CLASSES };

/* Appends the name of a class of ages: "1 to 10 s". */
void held_age_append(unsigned age_class, GString *out);

/* What the user wants to see of the held objects. */
typedef struct {
	uint64_t min_age_ns; /* younger objects do not count */
	bool at_peak;        /* what was held when most memory was held, not at the end */
	bool by_age;         /* one cell for each class of ages */
	bool by_freer;       /* one cell for each call site that freed, and one for what is held */
} HeldChoice;

/* What the pairing does not know itself. */
typedef struct {
	uint64_t end_ns;       /* ages are counted until then */
	uint64_t last_loss_ns; /* all lost events were before; 0: none, UINT64_MAX: unknown */
} HeldMoment;

/* A cell, or a part of it. */
typedef struct {
	ProfileCell cell; /* events: the objects held */
	HeldSums sums;
	uint32_t number;   /* of the cell in the profile */
	OriginId freer;    /* of the frees, if by_freer; ORIGIN_ID_NONE: of what is held */
	uint8_t age_class; /* if by_age; else AGE_CLASS_NONE */
} HeldCell;

#define ORIGIN_ID_NONE UINT32_MAX

/* Returns the HeldCell that a cell is a part of; NULL: none. */
static inline const HeldCell *held_cell_of(const ProfileCell *cell)
{
	G_STATIC_ASSERT(offsetof(HeldCell, cell) == 0);
	return cell->kind == CELL_OF_HELD ? (const HeldCell *)(const void *)cell : NULL;
}

/* Objects over time. */
typedef struct {
	uint64_t ages[AGE_CLASSES];       /* held, by class of ages */
	uint64_t lifetimes[LIFE_CLASSES]; /* freed, by class of lifetimes */
	uint64_t held[RUN_PARTS];         /* held at the end of each part of the run */
	uint64_t first_allocated;         /* in the first half of the run ... */
	uint64_t first_kept;              /* ... and held */
	uint64_t second_allocated;        /* in the second half */
	uint64_t second_kept;
} HeldTimes;

/* Returns the cells that hold or held something. The pairing is borrowed, and must not take events
   as long as the result exists. Free it with held_cells_free(). */
HeldCells *held_cells_new(const Pairing *pairing, HeldChoice choice, HeldMoment moment);
void held_cells_free(HeldCells *cells);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HeldCells, held_cells_free)

/* Return the number of cells, and one of them by its index below it; borrowed. */
uint32_t held_cells_count(const HeldCells *cells);
const HeldCell *held_cells_at(const HeldCells *cells, uint32_t index);

/* Whether all is known of each cell: parts by age only know how many they hold. */
bool held_cells_are_whole(const HeldCells *cells);

/* Whether the times of cells are known: of what is held at the end, not of parts of cells. */
bool held_cells_have_times(const HeldCells *cells);

/* Adds the times of a cell; nothing if they are not known. */
void held_cells_add_times(const HeldCells *cells, const HeldCell *cell, HeldTimes *sum);

/* Returns the counters of all cells of the profile, borrowed. */
const CellLives *held_cells_lives(const HeldCells *cells);

/* Returns how many parts of the run are over, or in progress. */
unsigned held_cells_parts(const HeldCells *cells);

/* Returns the choice that the cells were made with. */
const HeldChoice *held_cells_choice(const HeldCells *cells);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "count/profile.h"

#include <glib.h>

/* Freers counts which call sites free the objects of a cell. */
typedef struct Freers Freers;

/* The frees of a cell's objects by one origin; ORIGIN_ID_OVERFLOW: by an unknown one. */
typedef struct {
	uint64_t freed;
	uint64_t freed_early; /* as in CellLife */
	uint64_t freed_apart;
	uint32_t cell;
	OriginId origin;
} Freer;

/* Returns a table that uses at most about bytes_max. If it is full, origins that are new count as
   ORIGIN_ID_OVERFLOW, as far as that one is known. Free it with freers_free(). */
Freers *freers_new(size_t bytes_max);
void freers_free(Freers *freers);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Freers, freers_free)

/* Raises the limit; a lower one changes nothing. */
void freers_set_memory(Freers *freers, size_t bytes_max);

/* Whether so many frees by new origins have room. */
bool freers_have_room(const Freers *freers, size_t frees);

/* Adds a free. */
void freers_add(Freers *freers, const Freer *added);

/* Gives cells other numbers: moved[cell] is the new one. Freers of one cell and origin become
   one. */
void freers_move(Freers *freers, const uint32_t *moved);

/* Returns all (element-type Freer), borrowed. */
const GArray *freers_all(const Freers *freers);

/* Returns the memory in use, in bytes. */
size_t freers_memory(const Freers *freers);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "code/user/user_objects.h"
#include "code/user/user_spans.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A place in an object: its number, and what the object's type says (user_objects.h). */
typedef struct {
	uint32_t object; /* USER_OBJECT_UNKNOWN: the place is the address itself */
	uint64_t offset;
} UserPlace;

/*
 * UserMaps knows what was mapped executable in each process at each time. It reads the lines of
 * `maps` batches (user_map_line.h), in any order of arrival: each has its time. Lines of /proc are
 * to have the time at which the recording began.
 *
 * A fork does not copy mappings: a process that has not called exec looks into its parent, as of
 * the time of the fork. So a line of the parent that arrives late counts for the child, too.
 */
typedef struct UserMaps UserMaps;

/* What lines did not add to the table. */
typedef struct {
	uint64_t invalid; /* lines that are not understood */
	uint64_t dropped; /* valid lines that found no room */
} UserMapsLosses;

/* Returns an empty table that takes at most this many bytes, about. The objects are borrowed; new
   ones are added to them. */
UserMaps *user_maps_new(UserObjects *objects, size_t bytes_max);
void user_maps_free(UserMaps *maps);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UserMaps, user_maps_free)

/* Adds a line without its end, or all lines of a text. */
void user_maps_parse_line(UserMaps *maps, TextPart line);
void user_maps_parse(UserMaps *maps, TextPart lines);

/*
 * Finds the place of an address in a process at a time, in ns. Returns false with the unknown
 * object if nothing executable was mapped there: then the frame is not code, nor are those behind
 * it in a stack. Allocates nothing.
 */
bool user_maps_lookup(UserMaps *maps, uint32_t tgid, uint64_t time_ns, uint64_t address,
		      UserPlace *place);

/* Lookups of a process may follow for so long after its end: other threads may end a little later
   than the first one. */
#define USER_MAPS_KEPT_NS 1000000000ULL

/* Promises that no lookup of an earlier time follows. Forgets what had ended before, from time to
   time. */
void user_maps_settle(UserMaps *maps, uint64_t until_ns);

/* Appends lines that make the same table: for a reader that knows nothing of the lines so far. */
void user_maps_append(const UserMaps *maps, GString *out);

/* Returns what found no room; borrowed. */
const UserMapsLosses *user_maps_losses(const UserMaps *maps);

/* Returns the memory in use without the objects, in bytes, about. */
size_t user_maps_memory(const UserMaps *maps);

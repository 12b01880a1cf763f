/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event.h"

#include <glib.h>

/*
 * HeldReadings adds up what records of the kernel list as held: live objects at the moment when the
 * kernel wrote the record, not allocations of a run. With two readings it takes the difference.
 *
 * A place is a stack with its task, cache and allocator. Objects of one place are added up, so that
 * the memory depends on the number of places, not of objects, and so that a place can be compared
 * between two readings.
 */
typedef struct HeldReadings HeldReadings;

/* Held objects of one place. All pointers are borrowed. */
typedef struct {
	const char *text; /* one frame per line */
	uint32_t length;
	uint64_t objects;
	const EventTask *task;    /* NULL: unknown */
	const EventCache *cache;  /* NULL: unknown */
	uint64_t bytes_requested; /* of all objects together; both 0: unknown */
	uint64_t bytes_allocated;
	uint64_t first_ns; /* when they were allocated, on the kernel's clock; 0: unknown */
	uint64_t last_ns;
	uint64_t age_min_ns; /* instead of these times; both 0: unknown */
	uint64_t age_max_ns;
	uint8_t source; /* enum KmtSource; 0: unknown */
} HeldObjects;

/* What the readings leave out of the events that they deliver. */
typedef struct {
	bool is_difference;
	uint64_t shrunk_places; /* of the first reading, with fewer objects in the second ... */
	uint64_t shrunk_objects;
	uint64_t shrunk_bytes;  /* allocated */
	uint64_t larger_places; /* without more objects, but with more bytes ... */
	uint64_t larger_bytes;
	uint64_t over_bound; /* objects of places that exceeded the memory limit */
} HeldTotals;

/* Takes events with `held` set. */
typedef void (*HeldSink)(const EventText *event, void *user_data);

/* Returns empty readings that use at most about bytes_max bytes. Free them with
   held_readings_free(). */
HeldReadings *held_readings_new(size_t bytes_max);
void held_readings_free(HeldReadings *readings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(HeldReadings, held_readings_free)

/* Begins the next reading. After the second, the difference between both is delivered. */
void held_readings_next(HeldReadings *readings);

/* Adds objects to the current reading. Objects of a new place that exceeds the memory limit are
   added up in over_bound. */
void held_readings_add(HeldReadings *readings, const HeldObjects *objects);

/*
 * Delivers all places in the order in which they came, with their ages where they are known.
 * Unknown ages are derived from the times and now_ns, on the same clock; 0: the time of the newest
 * object. Of a difference, only places with more objects in the second reading are delivered; ages
 * are those of all objects of the second reading. Of a single reading, the objects of places that
 * exceeded the memory limit come last, with `over_bound` set.
 */
HeldTotals held_readings_deliver(HeldReadings *readings, uint64_t now_ns, HeldSink sink,
				 void *user_data);

/* Returns the memory in use, in bytes. */
size_t held_readings_memory(const HeldReadings *readings);

/* The lowest and the highest age of objects. */
typedef struct {
	uint64_t min_ns;
	uint64_t max_ns;
} HeldAges;

/* Returns whether the ages of a delivered place are known; the numbers of `place` are not read. */
bool held_readings_ages(HeldReadings *readings, const HeldObjects *place, HeldAges *ages);

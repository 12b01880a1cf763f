/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of objects by place: task, cache and text of the stack, each interned. There are two sums
 * for each place, one of each reading. When all is read, what was held or added is delivered as
 * events, so the session counts it like a stream.
 */
#include "count/held_readings.h"

#include "base/saturate.h"
#include "count/stack_table.h"

#include <string.h>

/* The tags of interned parts. */
enum { PART_TEXT, PART_TASK, PART_CACHE };

/* Share of the memory for the parts of places; the rest is for their sums. */
enum { PARTS_PERCENT = 70, KEYS_PERCENT = 10 };

/* Ids of interned parts; STACK_ID_NONE: unknown. */
typedef struct {
	StackId text;
	StackId task;
	StackId cache;
	uint32_t source;
} PlaceKey;

typedef struct {
	uint64_t objects;
	uint64_t bytes_requested;
	uint64_t bytes_allocated;
} HeldSums;

typedef struct {
	PlaceKey key;
	HeldSums sums[2]; /* by reading */
	/* Of the current reading; see HeldObjects. */
	uint64_t first_ns;
	uint64_t last_ns;
	uint64_t age_min_ns;
	uint64_t age_max_ns;
} Place;

struct HeldReadings {
	StackTable *parts;
	StackTable *keys; /* the id of a key is the index of its place */
	GArray *places;   /* (element-type Place) */
	size_t places_max;
	unsigned reading; /* the current one, from 0 */
	uint64_t newest_ns;
	uint64_t now_ns; /* once delivered */
	HeldSums over_bound;
};

HeldReadings *held_readings_new(size_t bytes_max)
{
	HeldReadings *readings = g_new0(HeldReadings, 1);
	size_t places_bytes = bytes_max / 100 * (100 - PARTS_PERCENT - KEYS_PERCENT);

	readings->parts = stack_table_new(bytes_max / 100 * PARTS_PERCENT);
	readings->keys = stack_table_new(bytes_max / 100 * KEYS_PERCENT);
	readings->places = g_array_new(FALSE, FALSE, sizeof(Place));
	/* A growing array exists twice for a moment. */
	readings->places_max = places_bytes / (2 * sizeof(Place));
	return readings;
}

void held_readings_free(HeldReadings *readings)
{
	if (!readings)
		return;
	stack_table_free(readings->parts);
	stack_table_free(readings->keys);
	g_array_unref(readings->places);
	g_free(readings);
}

size_t held_readings_memory(const HeldReadings *readings)
{
	return stack_table_memory(readings->parts) + stack_table_memory(readings->keys) +
	       readings->places->len * sizeof(Place);
}

void held_readings_next(HeldReadings *readings)
{
	readings->reading = 1;
	readings->newest_ns = 0;
	for (guint i = 0; i < readings->places->len; i++) {
		Place *place = &g_array_index(readings->places, Place, i);

		place->first_ns = place->last_ns = 0;
		place->age_min_ns = place->age_max_ns = 0;
	}
}

/* Structures are compared byte by byte, so their padding is cleared. */
static StackId intern_task(HeldReadings *readings, const EventTask *task)
{
	EventTask clean;

	memset(&clean, 0, sizeof(clean));
	clean.tgid = task->tgid;
	clean.tid = task->tid;
	clean.start_time_ns = task->start_time_ns;
	clean.cgroup_id = task->cgroup_id;
	memcpy(clean.comm, task->comm, sizeof(clean.comm));
	memcpy(clean.leader, task->leader, sizeof(clean.leader));
	return stack_table_intern(readings->parts, &clean, sizeof(clean), PART_TASK);
}

static StackId intern_cache(HeldReadings *readings, const EventCache *cache)
{
	EventCache clean;

	memset(&clean, 0, sizeof(clean));
	clean.object_bytes = cache->object_bytes;
	clean.slot_bytes = cache->slot_bytes;
	clean.name_bytes = cache->name_bytes;
	memcpy(clean.name, cache->name, cache->name_bytes);
	return stack_table_intern(readings->parts, &clean, sizeof(clean), PART_CACHE);
}

/* Returns false if a part exceeds the memory limit. */
static bool intern_key(HeldReadings *readings, const HeldObjects *objects, PlaceKey *key)
{
	*key = (PlaceKey){
		.text = stack_table_intern(readings->parts, objects->text, objects->length,
					   PART_TEXT),
		.task = objects->task ? intern_task(readings, objects->task) : STACK_ID_NONE,
		.cache = objects->cache ? intern_cache(readings, objects->cache) : STACK_ID_NONE,
		.source = objects->source,
	};
	return key->text != STACK_ID_NONE && (!objects->task || key->task != STACK_ID_NONE) &&
	       (!objects->cache || key->cache != STACK_ID_NONE);
}

/* Returns the place of a key, NULL if a new one exceeds the memory limit. */
static Place *place_of(HeldReadings *readings, const PlaceKey *key)
{
	const Place fresh = { .key = *key };
	uint32_t count = stack_table_count(readings->keys);
	StackId id;

	if (count >= readings->places_max)
		return NULL;
	id = stack_table_intern(readings->keys, key, sizeof(*key), 0);
	if (id == STACK_ID_NONE)
		return NULL;
	if (id == count)
		g_array_append_val(readings->places, fresh);
	return &g_array_index(readings->places, Place, id);
}

static void add_times(Place *place, const HeldObjects *objects)
{
	/* 0 is unknown. */
	if (objects->first_ns && (!place->first_ns || objects->first_ns < place->first_ns))
		place->first_ns = objects->first_ns;
	place->last_ns = MAX(place->last_ns, objects->last_ns);
	if (!objects->age_max_ns)
		return;
	place->age_min_ns = place->age_max_ns ? MIN(place->age_min_ns, objects->age_min_ns)
					      : objects->age_min_ns;
	place->age_max_ns = MAX(place->age_max_ns, objects->age_max_ns);
}

void held_readings_add(HeldReadings *readings, const HeldObjects *objects)
{
	PlaceKey key;
	Place *place = intern_key(readings, objects, &key) ? place_of(readings, &key) : NULL;
	HeldSums *sums = place ? &place->sums[readings->reading] : &readings->over_bound;

	saturate_add(&sums->objects, objects->objects);
	saturate_add(&sums->bytes_requested, objects->bytes_requested);
	saturate_add(&sums->bytes_allocated, objects->bytes_allocated);
	if (place)
		add_times(place, objects);
	readings->newest_ns = MAX(readings->newest_ns, objects->last_ns);
}

/* Returns the ages of a place; both 0: unknown. */
static HeldAges ages_of(const HeldReadings *readings, const Place *place)
{
	if (place->age_max_ns || !place->first_ns || readings->now_ns < place->last_ns)
		return (HeldAges){ place->age_min_ns, place->age_max_ns };
	return (HeldAges){ readings->now_ns - place->last_ns, readings->now_ns - place->first_ns };
}

typedef struct {
	HeldSink sink;
	void *user_data;
} Target;

static void deliver_some(const Target *to, EventText event, uint64_t objects, bool one_more_asked,
			 bool one_more_allocated)
{
	event.weight = objects;
	event.bytes_requested += one_more_asked;
	event.bytes_allocated += one_more_allocated;
	if (objects)
		to->sink(&event, to->user_data);
}

/* An event has the bytes of one object. Bytes that do not divide evenly become groups of objects
   that differ by one byte, so that all sums are exact. */
static void deliver_sums(const Target *to, EventText event, const HeldSums *sums)
{
	uint64_t asked_rest = sums->bytes_requested % sums->objects;
	uint64_t allocated_rest = sums->bytes_allocated % sums->objects;
	uint64_t both = MIN(asked_rest, allocated_rest), any = MAX(asked_rest, allocated_rest);

	event.bytes_requested = sums->bytes_requested / sums->objects;
	event.bytes_allocated = sums->bytes_allocated / sums->objects;
	deliver_some(to, event, both, true, true);
	deliver_some(to, event, any - both, asked_rest == any, allocated_rest == any);
	deliver_some(to, event, sums->objects - any, false, false);
}

static uint64_t held_readings_growth(uint64_t before, uint64_t after)
{
	return after > before ? after - before : 0;
}

/* Returns what was added between both readings; of a single one, all. */
static HeldSums added_of(const HeldReadings *readings, const Place *place)
{
	const HeldSums *before = &place->sums[0], *after = &place->sums[1];

	if (!readings->reading)
		return place->sums[0];
	return (HeldSums){
		.objects = held_readings_growth(before->objects, after->objects),
		.bytes_requested =
			held_readings_growth(before->bytes_requested, after->bytes_requested),
		.bytes_allocated =
			held_readings_growth(before->bytes_allocated, after->bytes_allocated),
	};
}

static void deliver_place(const HeldReadings *readings, const Place *place, const HeldSums *added,
			  const Target *to)
{
	const PlaceKey *key = &place->key;
	const HeldAges ages = ages_of(readings, place);
	uint32_t length;
	EventText event = { .held = true, .source = (uint8_t)key->source };

	event.text = stack_table_bytes(readings->parts, key->text, &event.length);
	if (key->task != STACK_ID_NONE)
		event.task = stack_table_bytes(readings->parts, key->task, &length);
	if (key->cache != STACK_ID_NONE)
		event.cache = stack_table_bytes(readings->parts, key->cache, &length);
	event.age_min_ns = ages.min_ns;
	event.age_max_ns = ages.max_ns;
	deliver_sums(to, event, added);
}

/* Adds what the delivered events of a difference cannot express. */
static void add_other_changes(const Place *place, const HeldSums *added, HeldTotals *totals)
{
	uint64_t objects = held_readings_growth(place->sums[1].objects, place->sums[0].objects);

	if (!added->objects && added->bytes_allocated) {
		totals->larger_places++;
		saturate_add(&totals->larger_bytes, added->bytes_allocated);
	}
	totals->shrunk_places += objects > 0;
	saturate_add(&totals->shrunk_objects, objects);
	saturate_add(&totals->shrunk_bytes, held_readings_growth(place->sums[1].bytes_allocated,
								 place->sums[0].bytes_allocated));
}

HeldTotals held_readings_deliver(HeldReadings *readings, uint64_t now_ns, HeldSink sink,
				 void *user_data)
{
	const Target to = { sink, user_data };
	HeldTotals totals = { .is_difference = readings->reading > 0,
			      .over_bound = readings->over_bound.objects };

	readings->now_ns = now_ns ? now_ns : readings->newest_ns;
	for (guint i = 0; i < readings->places->len; i++) {
		const Place *place = &g_array_index(readings->places, Place, i);
		const HeldSums added = added_of(readings, place);

		if (added.objects)
			deliver_place(readings, place, &added, &to);
		if (totals.is_difference)
			add_other_changes(place, &added, &totals);
	}
	/* Objects without room for their places count all the same. */
	if (!totals.is_difference && readings->over_bound.objects)
		deliver_sums(&to, (EventText){ .text = "", .held = true, .over_bound = true },
			     &readings->over_bound);
	return totals;
}

bool held_readings_ages(HeldReadings *readings, const HeldObjects *place, HeldAges *ages)
{
	PlaceKey key;
	const Place *found = intern_key(readings, place, &key) ? place_of(readings, &key) : NULL;

	if (!found)
		return false;
	*ages = ages_of(readings, found);
	return ages->max_ns > 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All processes of a stream and what they had mapped, by tgid. Lines arrive in any order of time.
 * Now and then it settles: what no later event can need is forgotten, so memory follows what is
 * alive. The profile asks it for the place of each address of user space.
 */
#include "code/user/user_maps.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/slot_table.h"

#include <string.h>

enum {
	SLOTS_MIN = 64,
	/* Twice what a process can map on most hosts (vm.max_map_count, less than 2^16) is not
	   needed for what is executable. It bounds the time that a hostile line costs. */
	SPANS_MAX = 1 << 15,
	ERAS_MAX = 1 << 15,
	/* Settling reads everything. So there is at least a line for this many bytes between two
	   passes, and at least this many lines. */
	SETTLE_BYTES = 1 << 10,
	SETTLE_LINES = 64,
};

struct UserMaps {
	UserObjects *objects; /* borrowed */
	GPtrArray *processes; /* (element-type UserProcess) */
	SlotTable numbers;    /* of the processes, by tgid */
	UserProcess *found;   /* by the last lookup; NULL: none */
	size_t bytes_max;
	size_t bytes;   /* of the processes */
	uint64_t lines; /* since settling */
	UserMapsLosses losses;
};

static void free_process(gpointer process)
{
	user_process_free(process);
}

UserMaps *user_maps_new(UserObjects *objects, size_t bytes_max)
{
	UserMaps *maps = g_new0(UserMaps, 1);

	maps->objects = objects;
	maps->processes = g_ptr_array_new_with_free_func(free_process);
	slot_table_init(&maps->numbers, SLOTS_MIN);
	maps->bytes_max = bytes_max;
	return maps;
}

void user_maps_free(UserMaps *maps)
{
	if (!maps)
		return;
	g_ptr_array_unref(maps->processes);
	slot_table_clear(&maps->numbers);
	g_free(maps);
}

static UserProcess *process_at(const UserMaps *maps, uint32_t number)
{
	hot_assert(number < maps->processes->len);
	return g_ptr_array_index(maps->processes, number);
}

/* Returns the process; or NULL, and the slot for a new one. */
static UserProcess *find_process(const UserMaps *maps, uint32_t tgid, uint32_t hash, uint32_t *at)
{
	uint32_t number;

	for (*at = hash; (number = slot_table_candidate(&maps->numbers, hash, at)) != SLOT_ID_NONE;
	     ++*at)
		if (process_at(maps, number)->tgid == tgid)
			return process_at(maps, number);
	return NULL;
}

static bool has_room(const UserMaps *maps, size_t bytes)
{
	return user_maps_memory(maps) + bytes <= maps->bytes_max;
}

/* Returns the process, a new one if it is not known; NULL: no room. */
static UserProcess *intern_process(UserMaps *maps, uint32_t tgid)
{
	uint32_t hash = keyed_hash_mix(tgid), at;
	UserProcess *process = find_process(maps, tgid, hash, &at);

	if (process)
		return process;
	if (!has_room(maps, sizeof(*process) + slot_table_memory(&maps->numbers)))
		return NULL;
	process = user_process_new(tgid);
	slot_table_put(&maps->numbers, hash, at, maps->processes->len);
	g_ptr_array_add(maps->processes, process);
	maps->bytes += user_process_memory(process);
	return process;
}

static bool add_mapping(UserMaps *maps, UserProcess *process, const UserMapLine *line)
{
	UserSpan span = { .start = line->start,
			  .end = line->start + line->length,
			  .from_ns = line->time_ns,
			  .last_ns = line->time_ns };
	size_t room = maps->bytes_max - MIN(maps->bytes_max, user_maps_memory(maps));

	span.object = user_objects_intern(maps->objects, line);
	switch (user_object_type(line)) {
	case USER_OBJECT_FILE:
		span.to_offset = line->file_offset - line->start;
		break;
	case USER_OBJECT_SPECIAL:
		span.to_offset = -line->start;
		break;
	case USER_OBJECT_GENERATED:
		break;
	}
	return span.object != USER_OBJECT_UNKNOWN &&
	       user_spans_add(process->spans, &span,
			      (guint)MIN(SPANS_MAX, process->spans->len + room / sizeof(span) / 2));
}

static bool add_era(UserMaps *maps, UserProcess *process, const UserMapLine *line)
{
	UserProcess *parent = NULL;

	if (process->eras->len >= ERAS_MAX || !has_room(maps, 2 * sizeof(UserEra)))
		return false;
	if (line->type == USER_MAP_FORKED) {
		parent = intern_process(maps, line->parent_tgid);
		if (!parent)
			return false;
	}
	user_process_begin(process, line->time_ns, parent);
	return true;
}

static bool user_maps_apply(UserMaps *maps, UserProcess *process, const UserMapLine *line)
{
	if (line->type == USER_MAP_ENDED) {
		process->ended_ns = MAX(process->ended_ns, line->time_ns);
		return true;
	}
	process->latest_ns = MAX(process->latest_ns, line->time_ns);
	if (line->type == USER_MAP_MAPPED)
		return add_mapping(maps, process, line);
	return add_era(maps, process, line);
}

void user_maps_parse_line(UserMaps *maps, TextPart text)
{
	UserMapLine line;
	UserProcess *process;
	size_t bytes_before;

	if (!user_map_line_parse(text, &line)) {
		maps->losses.invalid++;
		return;
	}
	/* A line of a thread, which shares all mappings. */
	if (line.type == USER_MAP_FORKED && line.parent_tgid == line.tgid)
		return;
	process = intern_process(maps, line.tgid);
	if (!process) {
		maps->losses.dropped++;
		return;
	}
	maps->lines++;
	bytes_before = user_process_memory(process);
	maps->losses.dropped += !user_maps_apply(maps, process, &line);
	maps->bytes += user_process_memory(process) - bytes_before;
}

void user_maps_parse(UserMaps *maps, TextPart lines)
{
	TextPart line;

	while (text_part_next_line(&lines, &line))
		if (line.length)
			user_maps_parse_line(maps, line);
}

bool user_maps_lookup(UserMaps *maps, uint32_t tgid, uint64_t time_ns, uint64_t address,
		      UserPlace *place)
{
	const UserSpan *span = NULL;
	uint32_t at;

	/* The frames of a stack, and often one stack after the other, are of one process. */
	if (!maps->found || maps->found->tgid != tgid)
		maps->found = find_process(maps, tgid, keyed_hash_mix(tgid), &at);
	if (maps->found)
		span = user_process_find(maps->found, address, time_ns);
	place->object = span ? span->object : USER_OBJECT_UNKNOWN;
	place->offset = span ? address + span->to_offset : address;
	return span != NULL;
}

/* A process that is needed from a time on. */
typedef struct {
	UserProcess *process;
	uint64_t time_ns;
} Need;

static void user_maps_push(GArray *needs, UserProcess *process, uint64_t time_ns)
{
	Need need = { process, time_ns };

	if (time_ns < process->needed_ns)
		g_array_append_val(needs, need);
}

/* Notes that a process is needed; and its parents, as of the forks since that time. */
static void need(GArray *needs, UserProcess *process, uint64_t time_ns)
{
	guint last = process->needed_ns == UINT64_MAX
			     ? process->eras->len
			     : user_process_era(process, process->needed_ns);
	guint first = MAX(user_process_era(process, time_ns), 1);

	process->needed_ns = time_ns;
	for (guint number = first; number <= last; number++) {
		const UserEra *era = &g_array_index(process->eras, UserEra, number - 1);

		if (era->parent)
			user_maps_push(needs, era->parent, era->begin_ns);
	}
}

/* Sets from when on each process is needed; UINT64_MAX: not at all. */
static void find_needs(UserMaps *maps, uint64_t until_ns)
{
	g_autoptr(GArray) needs = g_array_new(FALSE, FALSE, sizeof(Need));

	for (guint i = 0; i < maps->processes->len; i++)
		process_at(maps, i)->needed_ns = UINT64_MAX;
	for (guint i = 0; i < maps->processes->len; i++)
		if (!user_process_is_over(process_at(maps, i), until_ns))
			user_maps_push(needs, process_at(maps, i), until_ns);
	while (needs->len) {
		Need next = g_array_index(needs, Need, needs->len - 1);

		g_array_set_size(needs, needs->len - 1);
		if (next.time_ns < next.process->needed_ns)
			need(needs, next.process, next.time_ns);
	}
}

/* Keeps what is needed, in a new table. */
static void keep_needed(UserMaps *maps)
{
	GPtrArray *all = maps->processes;

	maps->processes = g_ptr_array_new_with_free_func(free_process);
	slot_table_clear(&maps->numbers);
	slot_table_init(&maps->numbers, SLOTS_MIN);
	maps->found = NULL;
	maps->bytes = 0;
	g_ptr_array_set_free_func(all, NULL);
	for (guint i = 0; i < all->len; i++) {
		UserProcess *process = g_ptr_array_index(all, i);
		uint32_t hash = keyed_hash_mix(process->tgid), at;

		if (process->needed_ns == UINT64_MAX) {
			user_process_free(process);
			continue;
		}
		user_process_forget(process, process->needed_ns);
		find_process(maps, process->tgid, hash, &at);
		slot_table_put(&maps->numbers, hash, at, maps->processes->len);
		g_ptr_array_add(maps->processes, process);
		maps->bytes += user_process_memory(process);
	}
	g_ptr_array_unref(all);
}

void user_maps_settle(UserMaps *maps, uint64_t until_ns)
{
	if (maps->lines < MAX(SETTLE_LINES, user_maps_memory(maps) / SETTLE_BYTES))
		return;
	maps->lines = 0;
	find_needs(maps, until_ns);
	keep_needed(maps);
}

/* What was reported several times has a line for the first and one for the last time. */
static void append_span(const UserMaps *maps, GString *out, const UserProcess *process,
			const UserSpan *span)
{
	const UserObject *object = user_objects_get(maps->objects, span->object);
	UserMapLine line = {
		.type = USER_MAP_MAPPED,
		.time_ns = span->from_ns,
		.tgid = process->tgid,
		.start = span->start,
		.length = span->end - span->start,
	};

	if (!object)
		return;
	if (object->type == USER_OBJECT_FILE)
		line.file_offset = span->to_offset + span->start;
	line.file = object->file;
	line.path = (TextPart){ object->path, strlen(object->path) };
	user_map_line_append(out, &line);
	line.time_ns = span->last_ns;
	if (span->last_ns != span->from_ns)
		user_map_line_append(out, &line);
}

static void append_process(const UserMaps *maps, GString *out, const UserProcess *process)
{
	const UserMapLine end = { .type = USER_MAP_ENDED,
				  .time_ns = process->ended_ns,
				  .tgid = process->tgid };

	for (guint i = 0; i < process->eras->len; i++) {
		const UserEra *era = &g_array_index(process->eras, UserEra, i);
		const UserMapLine begin = {
			.type = era->parent ? USER_MAP_FORKED : USER_MAP_EXECUTED,
			.time_ns = era->begin_ns,
			.tgid = process->tgid,
			.parent_tgid = era->parent ? era->parent->tgid : 0,
		};

		user_map_line_append(out, &begin);
	}
	for (guint i = 0; i < process->spans->len; i++)
		append_span(maps, out, process, &g_array_index(process->spans, UserSpan, i));
	if (process->ended_ns)
		user_map_line_append(out, &end);
}

void user_maps_append(const UserMaps *maps, GString *out)
{
	for (guint i = 0; i < maps->processes->len; i++)
		append_process(maps, out, process_at(maps, i));
}

const UserMapsLosses *user_maps_losses(const UserMaps *maps)
{
	return &maps->losses;
}

size_t user_maps_memory(const UserMaps *maps)
{
	return maps->bytes + slot_table_memory(&maps->numbers) +
	       maps->processes->len * sizeof(gpointer);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All processes of a stream and what they had mapped, by tgid: of each process id its eras, sorted
 * by begin, and its spans. A lookup that finds nothing in an era goes on in the parent as of the
 * fork. Lines arrive in any order of time. Now and then it settles: what no later event can need is
 * forgotten, so memory follows what is alive. The profile asks it for the place of each address of
 * user space.
 */
#include "code/user/user_maps.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/slot_table.h"
#include "base/sorted.h"
#include "base/unconst.h"

#include <string.h>

/* Forks without exec, one in the other. The limit ends loops of hostile input. */
enum { FORKS_MAX = 64 };

/* Allocated for an array with one element or more. */
enum { ARRAY_BYTES = 64 };

typedef struct UserProcess UserProcess;

/* The time from a fork or exec until the next one. Before the first one is an era of mappings that
   were there when the recording began. */
typedef struct {
	uint64_t begin_ns;
	UserProcess *parent; /* borrowed: its mappings of that time are there, too; NULL: none */
} UserEra;

/* What has the same process id: one process after the other, and in each one program after the
   other. Its history is cut into eras, by forks and by calls of exec. */
struct UserProcess {
	uint32_t tgid;
	GArray *eras; /* (element-type UserEra): by time; owned */
	UserSpans *spans;
	uint64_t ended_ns;  /* the last known end; 0: none */
	uint64_t latest_ns; /* of its lines other than ends */
	uint64_t needed_ns; /* of user_maps_settle() */
};

static UserProcess *process_new(uint32_t tgid)
{
	UserProcess *process = g_new0(UserProcess, 1);

	process->tgid = tgid;
	process->eras = g_array_new(FALSE, FALSE, sizeof(UserEra));
	process->spans = user_spans_new();
	return process;
}

static void process_free(gpointer data)
{
	UserProcess *process = data;

	g_array_unref(process->eras);
	g_array_unref(process->spans);
	g_free(process);
}

/* An array has room for up to twice its elements. */
static size_t array_memory(const GArray *array)
{
	return ARRAY_BYTES + (size_t)array->len * g_array_get_element_size(unconst(array)) * 2;
}

/* Returns the memory in use, in bytes, about. */
static size_t process_memory(const UserProcess *process)
{
	return sizeof(*process) + array_memory(process->eras) + array_memory(process->spans);
}

static UserEra *era_at(const UserProcess *process, guint at)
{
	hot_assert(at < process->eras->len);
	return &g_array_index(process->eras, UserEra, at);
}

/* Returns the position of the era of a time, plus one; 0: before the first. */
static guint process_era(const UserProcess *process, uint64_t time_ns)
{
	return SORTED_UNTIL(process->eras, UserEra, begin_ns, time_ns);
}

/* Returns what was mapped at an address, also by a fork; NULL: nothing. */
static const UserSpan *process_find(const UserProcess *process, uint64_t address, uint64_t time_ns)
{
	for (int forks = 0; process && forks < FORKS_MAX; forks++) {
		guint number = process_era(process, time_ns);
		UserEra era = number ? *era_at(process, number - 1) : (UserEra){ 0 };
		const UserSpan *span = user_spans_find(process->spans, address, time_ns);

		if (span && span->last_ns >= era.begin_ns)
			return span;
		process = era.parent;
		time_ns = era.begin_ns;
	}
	return NULL;
}

/* Forgets what nobody finds who asks for this time or later ones. */
static void process_forget(UserProcess *process, uint64_t time_ns)
{
	guint number = process_era(process, time_ns);

	user_spans_forget(process->spans, time_ns,
			  number ? era_at(process, number - 1)->begin_ns : 0);
	if (number > 1)
		g_array_remove_range(process->eras, 0, number - 1);
}

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

UserMaps *user_maps_new(UserObjects *objects, size_t bytes_max)
{
	UserMaps *maps = g_new0(UserMaps, 1);

	maps->objects = objects;
	maps->processes = g_ptr_array_new_with_free_func(process_free);
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
	process = process_new(tgid);
	slot_table_put(&maps->numbers, hash, at, maps->processes->len);
	g_ptr_array_add(maps->processes, process);
	maps->bytes += process_memory(process);
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

/* The later line of two with the same time counts. Without a parent: exec. */
static bool add_era(UserMaps *maps, UserProcess *process, const UserMapLine *line)
{
	UserEra era = { .begin_ns = line->time_ns };
	guint behind = process_era(process, era.begin_ns);

	if (process->eras->len >= ERAS_MAX || !has_room(maps, 2 * sizeof(era)))
		return false;
	if (line->type == USER_MAP_FORKED) {
		era.parent = intern_process(maps, line->parent_tgid);
		if (!era.parent)
			return false;
	}
	if (behind && era_at(process, behind - 1)->begin_ns == era.begin_ns)
		*era_at(process, behind - 1) = era;
	else
		g_array_insert_val(process->eras, behind, era);
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
	bytes_before = process_memory(process);
	maps->losses.dropped += !user_maps_apply(maps, process, &line);
	maps->bytes += process_memory(process) - bytes_before;
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
		span = process_find(maps->found, address, time_ns);
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
	guint last = process->needed_ns == UINT64_MAX ? process->eras->len
						      : process_era(process, process->needed_ns);
	guint first = MAX(process_era(process, time_ns), 1);

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
	for (guint i = 0; i < maps->processes->len; i++) {
		UserProcess *process = process_at(maps, i);
		/* ... and no other has its id. */
		bool is_over = process->ended_ns && process->ended_ns <= until_ns &&
			       process->latest_ns <= process->ended_ns;

		if (!is_over)
			user_maps_push(needs, process, until_ns);
	}
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

	maps->processes = g_ptr_array_new_with_free_func(process_free);
	slot_table_clear(&maps->numbers);
	slot_table_init(&maps->numbers, SLOTS_MIN);
	maps->found = NULL;
	maps->bytes = 0;
	g_ptr_array_set_free_func(all, NULL);
	for (guint i = 0; i < all->len; i++) {
		UserProcess *process = g_ptr_array_index(all, i);
		uint32_t hash = keyed_hash_mix(process->tgid), at;

		if (process->needed_ns == UINT64_MAX) {
			process_free(process);
			continue;
		}
		process_forget(process, process->needed_ns);
		find_process(maps, process->tgid, hash, &at);
		slot_table_put(&maps->numbers, hash, at, maps->processes->len);
		g_ptr_array_add(maps->processes, process);
		maps->bytes += process_memory(process);
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

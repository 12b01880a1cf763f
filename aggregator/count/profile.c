/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The counters of a run. Five interned tables: stacks, origins, tasks, caches, and cells, which are
 * what the other four meet in. Each is a dense array with a hash table; ids are indexes. Memory is
 * one limit with a floor for each table; what finds no room counts in rows that many events share,
 * so totals stay right. session/counter.c passes it each batch, on the hot path: an event usually
 * has the cell of the event before it of its origin. table/ reads it when the run is over.
 */
#include "count/profile.h"

#include "record/batch.h"
#include "record/format.h"
#include "base/hot_assert.h"
#include "base/slot_table.h"
#include "base/keyed_hash.h"
#include "base/saturate.h"
#include "base/unconst.h"
#include "record/cache_name.h"

enum {
	FIRST_ENTRIES = 256,
	FIRST_SLOTS = 512,
	ENTRIES_MAX = TASK_ID_MAX + 1,
	GROWTH_MIN = 64,        /* entries: with less room a table is full */
	RESERVE_PART = 8,       /* of a floor: for entries that many events share */
	SLOT_BYTES = 20,        /* of an entry in a hash table, at most */
	TASKS_OF_A_BATCH = 512, /* mostly */
	STACKS_STEP_PART = 16,  /* of the limit: by how much the stacks' memory grows */
	STACKS_STEP_MIN = 64 << 10,
};

/* The tables, and the memory that each gets in any case, in percent of the limit. Whoever needs it
   first gets the rest. */
typedef enum { TABLE_STACKS, TABLE_CELLS, TABLE_ORIGINS, TABLE_TASKS, TABLE_CACHES, TABLES } Table;
static const unsigned floors[TABLES] = { 25, 13, 10, 3, 1 };

/* A dense array with its hash table. */
typedef struct {
	SlotTable slots;
	uint32_t count;
	uint32_t capacity;
	uint32_t entry_bytes; /* of an entry everywhere */
	uint32_t reserve;     /* entries that only entries for many events may take */
	uint32_t reserve_first;
	bool is_full;
} Index;

struct Profile {
	StackTable *stacks;
	StackKind stack_kind;
	Index origin_index;
	ProfileOrigin *origins;
	Index task_index;
	ProfileTask *tasks;
	GArray *tasks_seen_ns; /* (element-type guint64), owned: see profile_task_seen_ns() */
	SlotTable leaders;     /* per process, the newest task with its leader's name */
	bool keeps_threads;
	Index cache_index;
	ProfileCache *caches;
	Index cell_index;
	ProfileCell *cells;
	uint32_t *free_cells; /* owned, of free_capacity: see profile_fold_cells() */
	uint32_t free_count;  /* those from here to reused_end were taken again */
	uint32_t reused_end;
	uint32_t free_capacity;
	ProfileValues *values; /* by cell, owned; NULL: no hits of probe points so far */
	uint32_t values_capacity;
	uint32_t values_max; /* cells that have values, at most; 0: see begin_values() */
	bool has_spans;
	TimeBlocks *blocks;  /* of the cells, owned; NULL: not kept */
	UserMaps *user_maps; /* borrowed; NULL: user frames are not kept */
	size_t bytes_max;
	size_t stack_bytes_max; /* of the stacks: grows */
	MemoryBudget *memory;   /* borrowed; NULL: bytes_max is fixed */
	bool merges_frees;      /* frees have neither tasks nor stacks */
	uint64_t window_start_ns;
	uint64_t window_end_ns;
	uint64_t part_start_ns; /* see profile_set_part() */
	uint64_t part_end_ns;
	bool has_overflow; /* a table was full: see add_overflow() */
	ProfileTotals totals;
};

static void index_init(Index *index, size_t entry_bytes, size_t more_bytes)
{
	slot_table_init(&index->slots, FIRST_SLOTS);
	index->capacity = FIRST_ENTRIES;
	index->entry_bytes = (uint32_t)(entry_bytes + more_bytes + SLOT_BYTES);
}

static const Index *index_of(const Profile *profile, Table table)
{
	switch (table) {
	case TABLE_CELLS:
		return &profile->cell_index;
	case TABLE_ORIGINS:
		return &profile->origin_index;
	case TABLE_TASKS:
		return &profile->task_index;
	case TABLE_CACHES:
		return &profile->cache_index;
	default:
		return NULL;
	}
}

static Index *index_to_change(Profile *profile, Table table)
{
	return unconst(index_of(profile, table));
}

/* The memory that a table has taken. */
static size_t memory_taken(const Profile *profile, Table table)
{
	const Index *index = index_of(profile, table);

	return index ? (size_t)index->capacity * index->entry_bytes : profile->stack_bytes_max;
}

static size_t taken_by_all(const Profile *profile)
{
	size_t bytes = 0;

	for (Table table = 0; table < TABLES; table++)
		bytes += memory_taken(profile, table);
	return bytes;
}

static size_t limit_of(const Profile *profile)
{
	return profile->memory ? memory_budget_limit(profile->memory, MEMORY_TABLES)
			       : profile->bytes_max;
}

/* Returns how much more memory a table may take: all others can still have their floors. */
static size_t room_for(const Profile *profile, Table table)
{
	size_t limit = limit_of(profile), bytes = taken_by_all(profile);

	for (Table other = 0; other < TABLES; other++) {
		size_t floor = profile->bytes_max / 100 * floors[other];

		if (other != table)
			bytes += floor - MIN(floor, memory_taken(profile, other));
	}
	return limit - MIN(limit, bytes);
}

static void note_memory(const Profile *profile)
{
	if (profile->memory)
		memory_budget_set(profile->memory, MEMORY_TABLES,
				  MIN(taken_by_all(profile), limit_of(profile)));
}

static bool index_grow(Profile *profile, Table table)
{
	Index *index = index_to_change(profile, table);
	size_t more = MIN(room_for(profile, table) / index->entry_bytes, index->capacity);

	more = MIN(more, ENTRIES_MAX - index->capacity);
	if (more < GROWTH_MIN)
		return false;
	index->capacity += (uint32_t)more;
	note_memory(profile);
	return true;
}

static bool index_take_reserve(Index *index)
{
	uint32_t more = MIN(index->reserve, MIN(GROWTH_MIN, ENTRIES_MAX - index->capacity));

	index->reserve -= more;
	index->capacity += more;
	return more > 0;
}

/* Makes room for another entry, in the end from the reserve if it is for many events. Returns false
   if there is none. */
static bool index_reserve(Profile *profile, Table table, void **entries, size_t entry_bytes,
			  bool is_for_many)
{
	Index *index = index_to_change(profile, table);

	if (index->is_full && !is_for_many)
		return false;
	if (G_LIKELY(index->count < index->capacity))
		return true;
	if (index->is_full || !index_grow(profile, table)) {
		index->is_full = true;
		if (!is_for_many || !index_take_reserve(index))
			return false;
	}
	*entries = g_realloc_n(*entries, index->capacity, entry_bytes);
	return true;
}

/* Returns the entry that equals wanted, adding it if new; full if there is no room. All bytes are
   compared, so wanted must have been zeroed before it was filled. */
static uint32_t profile_intern(Profile *profile, Table table, void **entries, const void *wanted,
			       size_t entry_bytes, bool is_for_many, uint32_t full)
{
	Index *index = index_to_change(profile, table);
	uint32_t hash = (uint32_t)keyed_hash(wanted, entry_bytes);
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&index->slots, hash, &at)) != SLOT_ID_NONE; at++)
		if (!memcmp((uint8_t *)*entries + (size_t)id * entry_bytes, wanted, entry_bytes))
			return id;
	if (!index_reserve(profile, table, entries, entry_bytes, is_for_many))
		return full;
	hot_assert(index->count < index->capacity);
	memcpy((uint8_t *)*entries + (size_t)index->count * entry_bytes, wanted, entry_bytes);
	slot_table_put(&index->slots, hash, at, index->count);
	return index->count++;
}

/* Returns the origin without what makes it one of many: cache and sizes are still known. */
static OriginId origin_intern_reduced(Profile *profile, const ProfileOrigin *of, bool is_beyond)
{
	ProfileOrigin origin;

	memset(&origin, 0, sizeof(origin));
	origin.bytes_requested = of->bytes_requested;
	origin.bytes_allocated = of->bytes_allocated;
	origin.stack = STACK_ID_NONE;
	origin.cache = of->cache;
	if (of->source == KMT_SOURCE_POINT)
		origin.point = of->point;
	origin.source = of->source;
	origin.free = of->free;
	origin.own = of->own;
	origin.beyond = is_beyond;
	return profile_intern(profile, TABLE_ORIGINS, (void **)&profile->origins, &origin,
			      sizeof(origin), true,
			      of->free || of->own ? SLOT_ID_NONE : ORIGIN_ID_OVERFLOW);
}

/* For frees, which no sum of allocations may have, there is always room. */
static OriginId origin_intern_beyond(Profile *profile, const ProfileOrigin *of, bool is_beyond)
{
	OriginId id = origin_intern_reduced(profile, of, is_beyond);
	ProfileOrigin any;

	if (id != SLOT_ID_NONE)
		return id;
	memset(&any, 0, sizeof(any));
	any.free = true;
	profile->origin_index.reserve = MAX(profile->origin_index.reserve, 1);
	return origin_intern_reduced(profile, &any, true);
}

static OriginId origin_intern(Profile *profile, const ProfileOrigin *wanted)
{
	OriginId id = profile_intern(profile, TABLE_ORIGINS, (void **)&profile->origins, wanted,
				     sizeof(*wanted), false, SLOT_ID_NONE);

	return id == SLOT_ID_NONE
		       ? origin_intern_beyond(profile, wanted, wanted->stack != STACK_ID_NONE)
		       : id;
}

/* Returns the newest task with the name of that process, or SLOT_ID_NONE. Then *at and *hash show
   where to insert it. */
static TaskId leader_find(const Profile *profile, const ProfileTask *of, uint32_t *hash,
			  uint32_t *at)
{
	const uint64_t key[] = { of->tgid, of->start_time_ns };
	uint32_t id;

	*hash = (uint32_t)keyed_hash(key, sizeof(key));
	for (*at = *hash; (id = slot_table_candidate(&profile->leaders, *hash, at)) != SLOT_ID_NONE;
	     ++*at)
		if (profile->tasks[id].tgid == of->tgid &&
		    profile->tasks[id].start_time_ns == of->start_time_ns)
			return id;
	return SLOT_ID_NONE;
}

static void leader_note(Profile *profile, TaskId id)
{
	uint32_t hash, at;
	TaskId known = leader_find(profile, &profile->tasks[id], &hash, &at);

	hot_assert(id < profile->task_index.count);
	if (known == SLOT_ID_NONE)
		slot_table_put(&profile->leaders, hash, at, id);
	else if (profile_task_seen_ns(profile, known) <= profile_task_seen_ns(profile, id))
		slot_table_replace(&profile->leaders, at, id);
}

/* Batches of several CPUs are not in order of time. */
static void task_note_seen(Profile *profile, TaskId id, uint64_t time_ns)
{
	uint64_t *seen_ns;

	hot_assert(id < profile->task_index.count);
	if (id >= profile->tasks_seen_ns->len)
		g_array_set_size(profile->tasks_seen_ns, id + 1);
	seen_ns = &g_array_index(profile->tasks_seen_ns, uint64_t, id);
	*seen_ns = MAX(*seen_ns, time_ns);
}

/* Copies a name to zeroed memory, up to its terminator. */
static void copy_comm(char comm[KMT_COMM_BYTES + 1], const char from[KMT_COMM_BYTES])
{
	memcpy(comm, from, strnlen(from, KMT_COMM_BYTES));
}

/* time_ns: time of one of its events; 0: unknown. */
static TaskId task_intern(Profile *profile, const ProfileTask *wanted, uint64_t time_ns,
			  bool is_for_many)
{
	TaskId id = profile_intern(profile, TABLE_TASKS, (void **)&profile->tasks, wanted,
				   sizeof(*wanted), is_for_many, TASK_ID_OVERFLOW);

	task_note_seen(profile, id, time_ns);
	if (!wanted->is_thread_name && id != TASK_ID_OVERFLOW)
		leader_note(profile, id);
	profile->has_overflow |= id == TASK_ID_OVERFLOW;
	return id;
}

static CacheId cache_intern(Profile *profile, const ProfileCache *wanted)
{
	CacheId id = profile_intern(profile, TABLE_CACHES, (void **)&profile->caches, wanted,
				    sizeof(*wanted), false, CACHE_ID_OVERFLOW);

	profile->has_overflow |= id == CACHE_ID_OVERFLOW;
	return id;
}

static inline uint32_t cell_hash(OriginId origin, TaskId task, uint8_t context)
{
	return keyed_hash_mix((uint64_t)origin << 32 | task << 2 | context);
}

static inline bool cell_is(const ProfileCell *cell, OriginId origin, TaskId task, uint8_t context)
{
	return cell->origin == origin && cell->task == task && cell->context == context;
}

static inline ProfileCell *cell_intern(Profile *profile, OriginId origin, TaskId task,
				       uint8_t context);

/* Returns a cell of all tasks together; if too many take such cells, one for all events of that
   cache and size, or the overflow cell. */
static ProfileCell *cell_beyond(Profile *profile, OriginId id, TaskId task, uint8_t context)
{
	const ProfileOrigin origin = profile->origins[id];

	hot_assert(id < profile->origin_index.count);
	profile->has_overflow = true;
	if (task != TASK_ID_OVERFLOW && !origin.beyond &&
	    profile->cell_index.reserve > profile->cell_index.reserve_first / 2)
		return cell_intern(profile, id, TASK_ID_OVERFLOW, context);
	if (origin.free || origin.own)
		profile->cell_index.reserve = MAX(profile->cell_index.reserve, 1);
	else if (origin.beyond)
		return &profile->cells[0];
	return cell_intern(profile, origin_intern_beyond(profile, &origin, true), TASK_ID_OVERFLOW,
			   context);
}

/* Returns the number of a new cell; SLOT_ID_NONE: there is no room. */
static uint32_t cell_take(Profile *profile, bool is_for_many)
{
	if (profile->free_count)
		return profile->free_cells[--profile->free_count];
	return index_reserve(profile, TABLE_CELLS, (void **)&profile->cells, sizeof(ProfileCell),
			     is_for_many)
		       ? profile->cell_index.count++
		       : SLOT_ID_NONE;
}

/* Returns the cell; without room for a new cell, one that many events share. */
static inline ProfileCell *cell_intern(Profile *profile, OriginId origin, TaskId task,
				       uint8_t context)
{
	uint32_t hash = cell_hash(origin, task, context);
	Index *index = &profile->cell_index;
	bool is_for_many = task == TASK_ID_OVERFLOW;
	uint32_t at, id;
	ProfileCell *cell;

	hot_assert(origin < profile->origin_index.count);
	hot_assert(task < profile->task_index.count);
	for (at = hash; (id = slot_table_candidate(&index->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		cell = &profile->cells[id];
		if (cell_is(cell, origin, task, context))
			return cell;
	}
	id = cell_take(profile, is_for_many);
	if (id == SLOT_ID_NONE)
		return cell_beyond(profile, origin, task, context);
	cell = &profile->cells[id];
	*cell = (ProfileCell){ .origin = origin,
			       .task = task & TASK_ID_MAX,
			       .context = context & 3U };
	slot_table_put(&index->slots, hash, at, id);
	return cell;
}

/* The overflow rows exist from the start. */
static void add_overflow_rows(Profile *profile)
{
	ProfileOrigin origin;
	ProfileTask task;
	ProfileCache cache;

	memset(&origin, 0, sizeof(origin));
	memset(&task, 0, sizeof(task));
	memset(&cache, 0, sizeof(cache));
	origin.stack = STACK_ID_NONE;
	origin.beyond = true;
	origin_intern(profile, &origin);
	task_intern(profile, &task, 0, false);
	g_strlcpy(task.comm, "[other tasks]", sizeof(task.comm));
	task_intern(profile, &task, 0, false);
	cache_intern(profile, &cache);
	g_strlcpy(cache.name, "[other caches]", sizeof(cache.name));
	cache_intern(profile, &cache);
	cell_intern(profile, ORIGIN_ID_OVERFLOW, TASK_ID_OVERFLOW, KMT_CONTEXT_TASK);
	profile->has_overflow = false;
}

static void set_reserve(Profile *profile, Table table)
{
	Index *index = index_to_change(profile, table);
	size_t floor = profile->bytes_max / 100 * floors[table] / index->entry_bytes;

	hot_assert(table < G_N_ELEMENTS(floors));
	index->reserve = (uint32_t)CLAMP(floor / RESERVE_PART, FIRST_ENTRIES, ENTRIES_MAX);
	index->reserve_first = index->reserve;
}

/* Sets the limit of a profile without events. */
static void profile_set_memory(Profile *profile, size_t bytes_max)
{
	profile->bytes_max = bytes_max;
	profile->stack_bytes_max = bytes_max / 100 * floors[TABLE_STACKS];
	stack_table_set_memory(profile->stacks, profile->stack_bytes_max);
	set_reserve(profile, TABLE_ORIGINS);
	set_reserve(profile, TABLE_TASKS);
	set_reserve(profile, TABLE_CELLS);
}

void profile_set_budget(Profile *profile, MemoryBudget *memory)
{
	profile->memory = memory;
	profile_set_memory(profile, memory_budget_floor(memory, MEMORY_TABLES));
	note_memory(profile);
}

/* Returns false if the stacks must not take more memory. */
static bool stacks_grow(Profile *profile)
{
	size_t room = room_for(profile, TABLE_STACKS);
	size_t step = MAX(limit_of(profile) / STACKS_STEP_PART, STACKS_STEP_MIN);

	if (room < STACKS_STEP_MIN)
		return false;
	profile->stack_bytes_max += MIN(room, step);
	stack_table_set_memory(profile->stacks, profile->stack_bytes_max);
	note_memory(profile);
	return true;
}

static StackId stack_add(Profile *profile, const void *bytes, uint32_t length, uint32_t tag)
{
	StackId id = stack_table_intern(profile->stacks, bytes, length, tag);

	while (G_UNLIKELY(id == STACK_ID_NONE) && stacks_grow(profile))
		id = stack_table_intern(profile->stacks, bytes, length, tag);
	return id;
}

uint32_t profile_cells_to_come(const Profile *profile)
{
	return profile->cell_index.reserve + GROWTH_MIN;
}

void profile_close_cells(Profile *profile)
{
	profile->cell_index.is_full = true;
}

void profile_merge_frees(Profile *profile)
{
	profile->merges_frees = true;
}

Profile *profile_new(size_t bytes_max)
{
	Profile *profile = g_new0(Profile, 1);

	profile->stacks = stack_table_new(0);
	index_init(&profile->origin_index, sizeof(ProfileOrigin), 0);
	index_init(&profile->task_index, sizeof(ProfileTask), sizeof(uint64_t) + SLOT_BYTES);
	profile->tasks_seen_ns = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	slot_table_init(&profile->leaders, FIRST_SLOTS);
	index_init(&profile->cache_index, sizeof(ProfileCache), 0);
	index_init(&profile->cell_index, sizeof(ProfileCell), 0);
	profile_set_memory(profile, bytes_max);
	profile->origins = g_new(ProfileOrigin, profile->origin_index.capacity);
	profile->tasks = g_new(ProfileTask, profile->task_index.capacity);
	profile->caches = g_new(ProfileCache, profile->cache_index.capacity);
	profile->cells = g_new(ProfileCell, profile->cell_index.capacity);
	profile->window_end_ns = UINT64_MAX;
	profile->part_end_ns = UINT64_MAX;
	add_overflow_rows(profile);
	return profile;
}

void profile_free(Profile *profile)
{
	if (!profile)
		return;
	stack_table_free(profile->stacks);
	slot_table_clear(&profile->origin_index.slots);
	slot_table_clear(&profile->task_index.slots);
	slot_table_clear(&profile->leaders);
	g_array_unref(profile->tasks_seen_ns);
	slot_table_clear(&profile->cache_index.slots);
	slot_table_clear(&profile->cell_index.slots);
	g_free(profile->origins);
	g_free(profile->tasks);
	g_free(profile->caches);
	g_free(profile->cells);
	g_free(profile->free_cells);
	g_free(profile->values);
	time_blocks_free(profile->blocks);
	g_free(profile);
}

uint32_t profile_cells_free(const Profile *profile)
{
	return profile->free_count;
}

const uint32_t *profile_cells_reused(const Profile *profile, uint32_t *count)
{
	*count = profile->reused_end - profile->free_count;
	return *count ? profile->free_cells + profile->free_count : NULL;
}

void profile_cells_forget_reused(Profile *profile)
{
	profile->reused_end = profile->free_count;
}

static bool index_has_room(const Profile *profile, Table table, size_t entries)
{
	const Index *index = index_of(profile, table);
	size_t room = index->capacity - index->count;

	return !index->is_full && room + room_for(profile, table) / index->entry_bytes > entries;
}

bool profile_has_room(const Profile *profile, size_t events)
{
	return index_has_room(profile, TABLE_TASKS, MIN(events, TASKS_OF_A_BATCH) + GROWTH_MIN) &&
	       (profile->free_count >= events ||
		index_has_room(profile, TABLE_CELLS, events + GROWTH_MIN));
}

/* Folding cells. */

typedef struct {
	Profile *profile;
	TaskId *folded; /* by TaskId: the task without a pid; SLOT_ID_NONE: not sought yet */
	bool *is_free;  /* by cell */
	uint32_t freed;
} Fold;

/* Returns the task of that name and cgroup without a pid. */
static TaskId folded_task(const Fold *fold, TaskId of)
{
	Profile *profile = fold->profile;
	uint64_t seen_ns = profile_task_seen_ns(profile, of);
	ProfileTask task;

	hot_assert(of < profile->task_index.count);
	if (fold->folded[of] != SLOT_ID_NONE)
		return fold->folded[of];
	memset(&task, 0, sizeof(task));
	task.cgroup_id = profile->tasks[of].cgroup_id;
	copy_comm(task.comm, profile_process_name(profile, of));
	copy_comm(task.thread_comm, profile->tasks[of].thread_comm);
	fold->folded[of] = profile_intern(profile, TABLE_TASKS, (void **)&profile->tasks, &task,
					  sizeof(task), true, TASK_ID_OVERFLOW);
	task_note_seen(profile, fold->folded[of], seen_ns);
	return fold->folded[of];
}

/* Returns the number of a cell, or SLOT_ID_NONE; then *at and *hash show where to insert it. */
static uint32_t cell_find(const Profile *profile, const ProfileCell *of, TaskId task,
			  uint32_t *hash, uint32_t *at)
{
	uint32_t id;

	*hash = cell_hash(of->origin, task, (uint8_t)of->context);
	for (*at = *hash;
	     (id = slot_table_candidate(&profile->cell_index.slots, *hash, at)) != SLOT_ID_NONE;
	     ++*at)
		if (cell_is(&profile->cells[id], of->origin, task, (uint8_t)of->context))
			return id;
	return SLOT_ID_NONE;
}

/* The first cell of its kind becomes that of all. */
static void fold_cell(Fold *fold, uint32_t number, TaskId task, CellMover move, void *user_data)
{
	Profile *profile = fold->profile;
	ProfileCell *cell = &profile->cells[number], *sum;
	uint32_t hash, at, to = cell_find(profile, cell, task, &hash, &at);

	hot_assert(number < profile->cell_index.count);
	saturate_add(&profile->totals.of_past_tasks, cell->events);
	if (to == SLOT_ID_NONE) {
		cell->task = task & TASK_ID_MAX;
		slot_table_put(&profile->cell_index.slots, hash, at, number);
		return;
	}
	sum = &profile->cells[to];
	saturate_add(&sum->events, cell->events);
	saturate_add(&sum->failed, cell->failed);
	saturate_add(&sum->variance, cell->variance);
	move(number, to, user_data);
	*cell = (ProfileCell){ .origin = ORIGIN_ID_OVERFLOW };
	fold->is_free[number] = true;
	fold->freed++;
}

/* Empties the slots of a table that is filled anew. */
static void empty_slots(SlotTable *slots)
{
	uint32_t count = slots->mask + 1;

	slot_table_clear(slots);
	slot_table_init(slots, count);
}

/* Marks the tasks of cells, and those that have the names of their processes. */
static bool *used_tasks(const Fold *fold)
{
	const Profile *profile = fold->profile;
	bool *used = g_new0(bool, profile->task_index.count);

	used[TASK_ID_UNKNOWN] = used[TASK_ID_OVERFLOW] = true;
	for (uint32_t i = 0; i < profile->cell_index.count; i++) {
		TaskId id = profile->cells[i].task, leader;
		uint32_t hash, at;

		if (used[id])
			continue;
		used[id] = true;
		leader = profile->tasks[id].is_thread_name
				 ? leader_find(profile, &profile->tasks[id], &hash, &at)
				 : SLOT_ID_NONE;
		if (leader != SLOT_ID_NONE)
			used[leader] = true;
	}
	return used;
}

static void put_task(Profile *profile, TaskId id)
{
	const ProfileTask *task = &profile->tasks[id];
	uint32_t hash = (uint32_t)keyed_hash(task, sizeof(*task)), at = hash;

	hot_assert(id < profile->task_index.count);
	for (; slot_table_candidate(&profile->task_index.slots, hash, &at) != SLOT_ID_NONE; at++)
		continue;
	slot_table_put(&profile->task_index.slots, hash, at, id);
	if (!task->is_thread_name && id != TASK_ID_OVERFLOW)
		leader_note(profile, id);
}

/* Forgets tasks without cells, and gives the others new numbers. */
static void pack_tasks(Fold *fold)
{
	Profile *profile = fold->profile;
	Index *index = &profile->task_index;
	g_autofree bool *used = used_tasks(fold);
	g_autofree TaskId *ids = g_new0(TaskId, index->count);
	uint32_t count = 0;

	empty_slots(&index->slots);
	empty_slots(&profile->leaders);
	for (TaskId id = 0; id < index->count; id++) {
		if (!used[id])
			continue;
		profile->tasks[count] = profile->tasks[id];
		g_array_index(profile->tasks_seen_ns, uint64_t, count) =
			profile_task_seen_ns(profile, id);
		ids[id] = count;
		put_task(profile, count++);
	}
	index->is_full &= count == index->count;
	index->count = count;
	g_array_set_size(profile->tasks_seen_ns, count);
	for (uint32_t i = 0; i < profile->cell_index.count; i++)
		profile->cells[i].task = ids[profile->cells[i].task] & TASK_ID_MAX;
}

static void put_cells(const Fold *fold)
{
	Profile *profile = fold->profile;
	Index *index = &profile->cell_index;

	empty_slots(&index->slots);
	for (uint32_t i = 0; i < index->count; i++) {
		const ProfileCell *cell = &profile->cells[i];
		uint32_t hash = cell_hash(cell->origin, cell->task, (uint8_t)cell->context);
		uint32_t at = hash;

		if (fold->is_free[i])
			continue;
		for (; slot_table_candidate(&index->slots, hash, &at) != SLOT_ID_NONE; at++)
			continue;
		slot_table_put(&index->slots, hash, at, i);
	}
	index->is_full &= !profile->free_count;
}

/* Tasks without a pid stay: what many processes share, and idle CPUs. */
static void fold_chosen(Fold *fold, CellChooser choose, CellMover move, void *user_data)
{
	Profile *profile = fold->profile;

	for (uint32_t i = 1; i < profile->cell_index.count; i++) {
		TaskId own = profile->cells[i].task, task;

		if (fold->is_free[i] || !profile->tasks[own].tgid || !choose(i, user_data))
			continue;
		task = folded_task(fold, own);
		if (task != TASK_ID_OVERFLOW)
			fold_cell(fold, i, task, move, user_data);
	}
}

/* Lists the free cells, so that the lowest number is taken first. */
static void list_free(const Fold *fold)
{
	Profile *profile = fold->profile;
	uint32_t count = profile->free_count + fold->freed;

	if (count > profile->free_capacity) {
		profile->free_cells = g_renew(uint32_t, profile->free_cells, count);
		profile->free_capacity = count;
	}
	profile->free_count = 0;
	for (uint32_t i = profile->cell_index.count; i-- > 1;)
		if (fold->is_free[i])
			profile->free_cells[profile->free_count++] = i;
	profile->reused_end = profile->free_count;
}

void profile_prepare_folding(Profile *profile)
{
	profile->cell_index.entry_bytes += PROFILE_FOLD_CELL_BYTES;
	profile->task_index.entry_bytes += PROFILE_FOLD_TASK_BYTES;
	set_reserve(profile, TABLE_CELLS);
	set_reserve(profile, TABLE_TASKS);
	note_memory(profile);
}

uint32_t profile_fold_cells(Profile *profile, CellChooser choose, CellMover move, void *user_data)
{
	g_autofree TaskId *folded = g_new(TaskId, profile->task_index.count);
	g_autofree bool *is_free = g_new0(bool, profile->cell_index.count);
	Fold fold = { .profile = profile, .folded = folded, .is_free = is_free };

	for (TaskId id = 0; id < profile->task_index.count; id++)
		folded[id] = SLOT_ID_NONE;
	for (uint32_t i = 0; i < profile->free_count; i++)
		is_free[profile->free_cells[i]] = true;
	fold_chosen(&fold, choose, move, user_data);
	list_free(&fold);
	pack_tasks(&fold);
	put_cells(&fold);
	return fold.freed;
}

void profile_keep_blocks(Profile *profile)
{
	profile->blocks = time_blocks_new();
	profile->cell_index.entry_bytes += (uint32_t)TIME_BLOCKS_CELL_BYTES;
	set_reserve(profile, TABLE_CELLS);
	note_memory(profile);
}

void profile_keep_threads(Profile *profile)
{
	profile->keeps_threads = true;
}

void profile_set_user_maps(Profile *profile, UserMaps *maps)
{
	profile->user_maps = maps;
}

void profile_set_window(Profile *profile, uint64_t start_ns, uint64_t end_ns)
{
	profile->window_start_ns = start_ns;
	profile->window_end_ns = end_ns;
}

void profile_set_part(Profile *profile, uint64_t start_ns, uint64_t end_ns)
{
	profile->part_start_ns = start_ns;
	profile->part_end_ns = end_ns;
}

/*
 * If the upper halves of all frames are equal, as usual in a kernel, the stack takes half the room:
 * the upper half once, then the lower halves. The tag contains the form and the symbol epoch. A
 * stack with a user's part has the number of its kernel frames, these frames, and its places.
 */
enum { TAG_WIDE = 1, TAG_WITH_USER = 2, TAG_EPOCH_SHIFT = 2 };

/* A place in 8 bytes. */
enum { PLACE_OBJECT_SHIFT = 48 };
#define PLACE_OFFSET_MASK ((1ULL << PLACE_OBJECT_SHIFT) - 1)

static uint64_t place_pack(UserPlace place)
{
	return (uint64_t)place.object << PLACE_OBJECT_SHIFT | (place.offset & PLACE_OFFSET_MASK);
}

static UserPlace place_unpack(uint64_t packed)
{
	return (UserPlace){ .object = (uint32_t)(packed >> PLACE_OBJECT_SHIFT),
			    .offset = packed & PLACE_OFFSET_MASK };
}

static StackId stack_intern(Profile *profile, const uint64_t *frames, uint32_t depth,
			    uint32_t epoch)
{
	uint32_t narrow[KMT_STACK_DEPTH_MAX + 1];
	uint32_t tag = epoch << TAG_EPOCH_SHIFT;
	uint64_t differing = 0;

	narrow[0] = (uint32_t)(frames[0] >> 32);
	for (uint32_t i = 0; i < depth; i++) {
		differing |= frames[i] ^ frames[0];
		narrow[i + 1] = (uint32_t)frames[i];
	}
	if (differing >> 32)
		return stack_add(profile, frames, depth * sizeof(frames[0]), tag | TAG_WIDE);
	return stack_add(profile, narrow, (depth + 1) * sizeof(narrow[0]), tag);
}

uint32_t profile_stack_frames(const Profile *profile, StackId id,
			      uint64_t frames[KMT_STACK_DEPTH_MAX])
{
	uint32_t length;
	const void *bytes = stack_table_bytes(profile->stacks, id, &length);
	const uint32_t *narrow = bytes;
	uint32_t depth = length / (uint32_t)sizeof(narrow[0]) - 1;
	uint32_t tag = stack_table_tag(profile->stacks, id);

	if (tag & TAG_WITH_USER) {
		const uint64_t *words = bytes;

		hot_assert(words[0] <= KMT_STACK_DEPTH_MAX);
		memcpy(frames, words + 1, words[0] * sizeof(frames[0]));
		return (uint32_t)words[0];
	}
	if (tag & TAG_WIDE) {
		hot_assert(length <= KMT_STACK_DEPTH_MAX * sizeof(frames[0]));
		memcpy(frames, bytes, length);
		return length / sizeof(frames[0]);
	}
	for (uint32_t i = 0; i < depth; i++)
		frames[i] = (uint64_t)narrow[0] << 32 | narrow[i + 1];
	return depth;
}

uint32_t profile_stack_places(const Profile *profile, StackId id,
			      UserPlace places[KMT_STACK_DEPTH_MAX])
{
	uint32_t length, count;
	const uint64_t *words = stack_table_bytes(profile->stacks, id, &length);

	if (!(stack_table_tag(profile->stacks, id) & TAG_WITH_USER))
		return 0;
	count = length / (uint32_t)sizeof(words[0]) - 1 - (uint32_t)words[0];
	hot_assert(count <= KMT_STACK_DEPTH_MAX);
	for (uint32_t i = 0; i < count; i++)
		places[i] = place_unpack(words[1 + words[0] + i]);
	return count;
}

uint32_t profile_stack_epoch(const Profile *profile, StackId id)
{
	return stack_table_tag(profile->stacks, id) >> TAG_EPOCH_SHIFT;
}

static CacheId cache_of(Profile *profile, const Events *events, uint16_t number)
{
	EventCache event;
	ProfileCache cache;
	EventMemo *memo;
	size_t folded;

	if (number == KMT_NONE)
		return CACHE_ID_UNKNOWN;
	memo = &events->caches[number].memo;
	if (memo->id != EVENT_ID_LATER)
		return memo->id;
	events_read_cache(events, number, &event);
	memset(&cache, 0, sizeof(cache));
	cache.object_bytes = event.object_bytes;
	cache.slot_bytes = event.slot_bytes;
	/* Bytes after a terminator are not part of the name. */
	memcpy(cache.name, event.name, strnlen(event.name, event.name_bytes));
	folded = cache_name_folded_bytes(cache.name);
	memset(cache.name + folded, 0, sizeof(cache.name) - folded);
	memo->id = cache_intern(profile, &cache);
	return memo->id;
}

/* Code without frame pointers gives junk: a frame that is in no known executable mapping and all
   frames after it. Returns the number of places. */
static uint32_t places_of(Profile *profile, const Events *events, const EventOriginFacts *facts,
			  uint64_t time_ns, uint64_t places[KMT_STACK_DEPTH_MAX])
{
	EventTask task;
	UserPlace place;
	uint32_t count = 0;

	if (!profile->user_maps || facts->user_task == KMT_NONE)
		return 0;
	events_read_task(events, facts->user_task, &task);
	/* Data counts by what is mapped there, not by its address; that may be unknown. */
	if (facts->user_has_data) {
		user_maps_lookup(profile->user_maps, task.tgid, time_ns, facts->user_frames[0],
				 &place);
		place.offset = 0;
		places[count++] = place_pack(place);
	}
	/* Frames after the first are return addresses: the call is before them. */
	while (count < facts->user_depth &&
	       user_maps_lookup(profile->user_maps, task.tgid, time_ns,
				facts->user_frames[count] - (count > 0), &place)) {
		place.offset += count > 0;
		places[count++] = place_pack(place);
	}
	return count;
}

static StackId stack_of_hit(Profile *profile, const Events *events, const EventOriginFacts *facts,
			    uint64_t time_ns, bool *unplaced)
{
	uint64_t words[2 * KMT_STACK_DEPTH_MAX + 1];
	uint32_t places = places_of(profile, events, facts, time_ns, &words[1 + facts->depth]);

	*unplaced = profile->user_maps && facts->user_depth && !places;
	if (!places && facts->depth)
		return stack_intern(profile, facts->frames, facts->depth, events->epoch);
	words[0] = facts->depth;
	memcpy(&words[1], facts->frames, facts->depth * sizeof(words[0]));
	return stack_add(profile, words, (1 + facts->depth + places) * sizeof(words[0]),
			 events->epoch << TAG_EPOCH_SHIFT | TAG_WITH_USER);
}

/* time_ns: of the current event. *unplaced: as ProfileOrigin has it. */
static StackId stack_of(Profile *profile, const Events *events, const EventOriginFacts *facts,
			uint64_t time_ns, bool *unplaced)
{
	if (facts->source == KMT_SOURCE_POINT)
		return stack_of_hit(profile, events, facts, time_ns, unplaced);
	if (!facts->text)
		return stack_intern(profile, facts->frames, facts->depth, events->epoch);
	if (events->text->over_bound)
		return STACK_ID_NONE;
	profile->stack_kind = STACK_TEXT;
	return stack_add(profile, facts->text, facts->text_bytes, events->epoch);
}

/* Looks up an origin at its first event. */
static OriginId origin_of(Profile *profile, const Events *events, const Event *event)
{
	EventOriginFacts facts;
	ProfileOrigin origin;
	OriginId id;
	bool unplaced = false;

	events_read_origin(events, event->origin, &facts);
	memset(&origin, 0, sizeof(origin));
	origin.call_site = facts.call_site;
	origin.bytes_requested = facts.bytes_requested;
	origin.bytes_allocated = facts.bytes_allocated;
	origin.gfp_flags = facts.gfp_flags;
	if (facts.source == KMT_SOURCE_POINT)
		origin.point = facts.point;
	else
		origin.node = facts.node;
	origin.source = facts.source;
	origin.truncated = facts.truncated;
	origin.free = event->free;
	origin.own = facts.kind == KMT_KIND_OWN;
	origin.cache = cache_of(profile, events, facts.cache);
	if (event->free && profile->merges_frees)
		return origin_intern_beyond(profile, &origin, false);
	origin.stack = stack_of(profile, events, &facts, event_time_ns(events, event), &unplaced);
	origin.unplaced = unplaced;
	id = origin.stack == STACK_ID_NONE ? origin_intern_beyond(profile, &origin, true)
					   : origin_intern(profile, &origin);
	profile->has_overflow |= profile->origins[id].beyond;
	return id;
}

/* time_ns: time of the current event, which is of this task. */
static TaskId task_of(Profile *profile, const Events *events, uint16_t number, uint64_t time_ns)
{
	EventTask event;
	ProfileTask task;
	EventMemo *memo;

	if (number == KMT_NONE)
		return TASK_ID_UNKNOWN;
	memo = &events->tasks[number].memo;
	if (memo->id != EVENT_ID_LATER)
		return memo->id;
	events_read_task(events, number, &event);
	memset(&task, 0, sizeof(task));
	task.tgid = event.tgid;
	task.start_time_ns = event.start_time_ns;
	task.cgroup_id = event.cgroup_id;
	task.is_thread_name = !event.leader[0] && event.tid != event.tgid;
	copy_comm(task.comm, event.leader[0] ? event.leader : event.comm);
	if (profile->keeps_threads) {
		copy_comm(task.thread_comm, event.comm);
		task.tid = event.tid;
	}
	memo->id = task_intern(profile, &task, time_ns, false);
	return memo->id;
}

/* Adds the variance of an estimate from these events, all of the same weight. */
static inline void add_variance(ProfileTotals *totals, ProfileCell *cell, const Event *event)
{
	uint64_t added;

	if (G_LIKELY(event->each <= 1)) {
		totals->samples += event->weight;
		return;
	}
	totals->samples += event->weight / event->each;
	totals->samples_variance += (double)event->weight * (event->each - 1);
	if (!checked_product(&added, event->weight, event->each - 1) ||
	    !checked_sum(&cell->variance, cell->variance, added))
		cell->variance = UINT64_MAX;
}

/* At the first hit, values become a part of each cell. If there are too many cells without, which
   only other events make, no more come, and only the first ones have values. */
static void begin_values(Profile *profile)
{
	Index *index = &profile->cell_index;
	uint32_t bytes = sizeof(ProfileValues) +
			 (profile->blocks ? (uint32_t)TIME_BLOCKS_CELL_VALUE_BYTES : 0);
	size_t cells = room_for(profile, TABLE_CELLS) / bytes;

	if (cells < index->capacity) {
		profile->values_max = (uint32_t)MAX(cells, 1);
		index->is_full = true;
	} else {
		profile->values_max = UINT32_MAX;
		index->entry_bytes += bytes;
	}
	if (profile->blocks)
		time_blocks_limit_values(profile->blocks, profile->values_max);
	note_memory(profile);
}

/* Returns the cell of a hit; without room for its values, the one for events beyond the limit. */
static ProfileCell *cell_with_values(Profile *profile, ProfileCell *cell)
{
	if (G_UNLIKELY(!profile->values_max))
		begin_values(profile);
	if (G_LIKELY((uint32_t)(cell - profile->cells) < profile->values_max))
		return cell;
	profile->has_overflow = true;
	return &profile->cells[0];
}

/* Returns the values of a cell that has some, with room for those of all such cells. */
static ProfileValues *values_of(Profile *profile, uint32_t cell)
{
	uint32_t capacity = MIN(profile->cell_index.capacity, profile->values_max);

	hot_assert(cell < profile->cell_index.count);
	if (G_UNLIKELY(profile->values_capacity < capacity)) {
		profile->values = g_renew(ProfileValues, profile->values, capacity);
		memset(profile->values + profile->values_capacity, 0,
		       (capacity - profile->values_capacity) * sizeof(ProfileValues));
		profile->values_capacity = capacity;
	}
	return &profile->values[cell];
}

/* Counts events of a cell in its block of time. */
static void add_to_block(Profile *profile, const ProfileCell *cell, uint64_t time_ns,
			 uint64_t weight)
{
	time_blocks_grow(profile->blocks, profile->cell_index.capacity);
	time_blocks_add(profile->blocks, (uint32_t)(cell - profile->cells), time_ns, weight);
}

static void add_value(Profile *profile, uint32_t cell, const Event *event)
{
	ProfileValues *values = values_of(profile, cell);
	int64_t value = (int64_t)event->pointer;
	int64_t weight = (int64_t)MIN(event->weight, INT64_MAX);

	values->sum = saturate_signed_sum(values->sum, saturate_signed_product(value, weight));
	values->squares += (double)event->weight * (double)value * (double)value;
	if (event->each > 1)
		values->variance +=
			(double)event->weight * (event->each - 1) * (double)value * (double)value;
}

/* The current batch, and the state of counting it. */
typedef struct {
	Profile *profile;
	const Events *events;
	uint16_t task; /* id of the previous event's task */
	TaskId task_id;
} Counting;

static inline TaskId task_at_hand(Counting *counting, const Event *event)
{
	if (G_LIKELY(event->task == counting->task))
		return counting->task_id;
	counting->task = event->task;
	counting->task_id = task_of(counting->profile, counting->events, event->task,
				    event_time_ns(counting->events, event));
	return counting->task_id;
}

/* Returns the cell of an event: usually that of the previous event of its origin. */
static inline ProfileCell *cell_of(Counting *counting, const Event *event)
{
	Profile *profile = counting->profile;
	EventMemo *memo = &counting->events->origins[event->origin].memo[event->free];
	TaskId task = event->free && profile->merges_frees ? TASK_ID_UNKNOWN
							   : task_at_hand(counting, event);
	ProfileCell *cell;

	hot_assert(memo->cell < profile->cell_index.count);
	cell = &profile->cells[memo->cell];
	if (G_LIKELY(cell_is(cell, memo->id, task, event->context)))
		return cell;
	if (memo->id == EVENT_ID_LATER)
		memo->id = origin_of(profile, counting->events, event);
	cell = cell_intern(profile, memo->id, task, event->context);
	memo->cell = (uint32_t)(cell - profile->cells);
	return cell;
}

static void note_in_block(const Counting *counting, const ProfileCell *cell, const Event *event)
{
	Profile *profile = counting->profile;
	uint64_t time_ns = event_time_ns(counting->events, event);

	if (!event->pointer && !event->is_hit)
		return;
	add_to_block(profile, cell, time_ns, event->weight);
	if (event->is_hit)
		time_blocks_add_value(profile->blocks, (uint32_t)(cell - profile->cells), time_ns,
				      (double)event->weight * (double)(int64_t)event->pointer);
}

static inline bool is_outside(const Profile *profile, uint64_t time_ns)
{
	return time_ns < profile->window_start_ns || time_ns > profile->window_end_ns;
}

/* Whether an event of the batch may be outside of the window or its part. Text may lack times. */
static bool may_be_outside(const Profile *profile, const Events *events)
{
	if (events->text && !events->text->time_ns)
		return false;
	return events->header->base_time_ns <
		       MAX(profile->window_start_ns, profile->part_start_ns) ||
	       events->last_ns > MIN(profile->window_end_ns, profile->part_end_ns);
}

/* Returns whether an event does not count now. */
static bool leave_out(Profile *profile, const Events *events, const Event *event)
{
	uint64_t time_ns = event_time_ns(events, event);

	if (time_ns < profile->part_start_ns || time_ns > profile->part_end_ns)
		return true;
	if (!is_outside(profile, time_ns))
		return false;
	saturate_add(&profile->totals.outside_window, event->weight);
	return true;
}

/* cells: see profile_take_noting(); NULL: not wanted. Inlined into both. */
static inline void take(Profile *profile, const Events *events, uint32_t *cells)
{
	Counting counting = { profile, events, KMT_NONE, TASK_ID_UNKNOWN };
	ProfileTotals *totals = &profile->totals;
	uint64_t counted = 0;
	bool is_at_edge = may_be_outside(profile, events);

	events_claim_memos(events, profile);
	for (size_t i = 0; i < events->events_count; i++) {
		const Event *event = &events->events[i];
		ProfileCell *cell;

		if (G_UNLIKELY(is_at_edge) && leave_out(profile, events, event)) {
			if (cells)
				cells[i] = PROFILE_CELL_NONE;
			continue;
		}
		cell = cell_of(&counting, event);
		if (G_UNLIKELY(event->is_hit))
			cell = cell_with_values(profile, cell);
		if (cells)
			cells[i] = (uint32_t)(cell - profile->cells);
		saturate_add(&counted, event->weight);
		if (G_UNLIKELY(event->is_hit))
			add_value(profile, (uint32_t)(cell - profile->cells), event);
		if (G_LIKELY(event->pointer) || event->is_hit)
			saturate_add(&cell->events, event->weight);
		else
			saturate_add(&cell->failed, event->weight);
		add_variance(totals, cell, event);
		if (G_UNLIKELY(profile->blocks))
			note_in_block(&counting, cell, event);
	}
	saturate_add(&totals->events, counted);
}

void profile_take(Profile *profile, const Events *events)
{
	take(profile, events, NULL);
}

void profile_take_noting(Profile *profile, const Events *events, uint32_t *cells)
{
	take(profile, events, cells);
}

void profile_note_cells(Profile *profile, const Events *events, uint32_t *cells)
{
	Counting counting = { profile, events, KMT_NONE, TASK_ID_UNKNOWN };

	events_claim_memos(events, profile);
	for (size_t i = 0; i < events->events_count; i++) {
		const Event *event = &events->events[i];

		cells[i] = PROFILE_CELL_NONE;
		if (is_outside(profile, event_time_ns(events, event)))
			saturate_add(&profile->totals.outside_window, event->weight);
		else
			cells[i] = (uint32_t)(cell_of(&counting, event) - profile->cells);
	}
}

void profile_add_span(Profile *profile, uint32_t number, const ProfileSpan *span)
{
	ProfileCell *cell = cell_with_values(profile, &profile->cells[number]);
	ProfileValues *values = values_of(profile, (uint32_t)(cell - profile->cells));
	uint64_t time_ns = span->end_ns - MIN(span->begin_ns, span->end_ns), weight = span->weight;
	int64_t times = saturate_signed(weight);

	hot_assert(number < profile->cell_index.count);
	profile->has_spans = true;
	saturate_add(&profile->totals.events, weight);
	saturate_add(&cell->events, weight);
	saturate_add(&cell->variance, saturate_product(weight, weight - 1));
	profile->totals.samples++;
	profile->totals.samples_variance += (double)weight * (double)(weight - 1);
	values->sum = saturate_signed_sum(values->sum, saturate_signed_product(span->value, times));
	values->squares += (double)weight * (double)span->value * (double)span->value;
	values->time_scatter += (double)weight * (double)weight * (double)time_ns * (double)time_ns;
	saturate_add(&values->time_ns, saturate_product(time_ns, weight));
	values->time_max_ns = MAX(values->time_max_ns, time_ns);
	if (!profile->blocks)
		return;
	add_to_block(profile, cell, span->end_ns, weight);
	time_blocks_add_value(profile->blocks, (uint32_t)(cell - profile->cells), span->end_ns,
			      (double)weight * (double)time_ns);
}

StackId profile_add_stack(Profile *profile, const uint32_t *frames, uint32_t count)
{
	profile->stack_kind = STACK_NAMED;
	return stack_add(profile, frames, count * sizeof(*frames), 0);
}

OriginId profile_add_origin(Profile *profile, const ProfileOrigin *origin)
{
	return origin_intern(profile, origin);
}

TaskId profile_add_task(Profile *profile, const ProfileTask *task, uint64_t seen_ns)
{
	return task_intern(profile, task, seen_ns, false);
}

TaskId profile_add_other_task(Profile *profile, const ProfileTask *task)
{
	Index *index = &profile->task_index;

	if (!index->reserve && index->capacity < ENTRIES_MAX)
		index->reserve = GROWTH_MIN;
	return task_intern(profile, task, 0, true);
}

CacheId profile_add_cache(Profile *profile, const ProfileCache *cache)
{
	return cache_intern(profile, cache);
}

/* Adds the events of a cell that lacks a name because a table was full. Events without a stack may
   also lack task and cache, and count in over_bound only. */
static void add_overflow(ProfileTotals *totals, const Profile *profile, const ProfileCell *cell)
{
	uint64_t events = saturate_sum(cell->events, cell->failed);

	hot_assert(cell->origin < profile->origin_index.count);
	if (profile->origins[cell->origin].beyond) {
		saturate_add(&totals->over_bound, events);
		return;
	}
	if (cell->task == TASK_ID_OVERFLOW)
		saturate_add(&totals->of_other_tasks, events);
	if (profile->origins[cell->origin].cache == CACHE_ID_OVERFLOW)
		saturate_add(&totals->of_other_caches, events);
}

ProfileTotals profile_totals(const Profile *profile)
{
	ProfileTotals totals = profile->totals;

	for (uint32_t i = 0; profile->has_overflow && i < profile->cell_index.count; i++)
		add_overflow(&totals, profile, &profile->cells[i]);
	return totals;
}

StackKind profile_stack_kind(const Profile *profile)
{
	return profile->stack_kind;
}

const StackTable *profile_stacks(const Profile *profile)
{
	return profile->stacks;
}

uint32_t profile_origin_count(const Profile *profile)
{
	return profile->origin_index.count;
}

const ProfileOrigin *profile_origin(const Profile *profile, OriginId id)
{
	hot_assert(id < profile->origin_index.count);
	return &profile->origins[id];
}

uint32_t profile_task_count(const Profile *profile)
{
	return profile->task_index.count;
}

const ProfileTask *profile_task(const Profile *profile, TaskId id)
{
	hot_assert(id < profile->task_index.count);
	return &profile->tasks[id];
}

uint64_t profile_task_seen_ns(const Profile *profile, TaskId id)
{
	hot_assert(id < profile->tasks_seen_ns->len);
	return g_array_index(profile->tasks_seen_ns, uint64_t, id);
}

const char *profile_process_name(const Profile *profile, TaskId id)
{
	const ProfileTask *task = &profile->tasks[id];
	uint32_t hash, at;
	TaskId leader;

	hot_assert(id < profile->task_index.count);
	if (!task->is_thread_name)
		return task->comm;
	leader = leader_find(profile, task, &hash, &at);
	return leader == SLOT_ID_NONE ? task->comm : profile->tasks[leader].comm;
}

uint32_t profile_cache_count(const Profile *profile)
{
	return profile->cache_index.count;
}

const ProfileCache *profile_cache(const Profile *profile, CacheId id)
{
	hot_assert(id < profile->cache_index.count);
	return &profile->caches[id];
}

uint32_t profile_cell_count(const Profile *profile)
{
	return profile->cell_index.count;
}

const ProfileCell *profile_cell(const Profile *profile, uint32_t index)
{
	hot_assert(index < profile->cell_index.count);
	return &profile->cells[index];
}

bool profile_has_values(const Profile *profile)
{
	return profile->values != NULL;
}

bool profile_has_spans(const Profile *profile)
{
	return profile->has_spans;
}

ProfileValues profile_values(const Profile *profile, const ProfileCell *cell)
{
	size_t index = (size_t)(cell - profile->cells);

	hot_assert(index < profile->cell_index.count);
	return index < profile->values_capacity ? profile->values[index] : (ProfileValues){ 0 };
}

const TimeBlocks *profile_blocks(const Profile *profile)
{
	return profile->blocks;
}

static size_t index_memory(const Index *index, size_t entry_bytes)
{
	return slot_table_memory(&index->slots) + index->capacity * entry_bytes;
}

size_t profile_memory(const Profile *profile)
{
	return stack_table_memory(profile->stacks) + slot_table_memory(&profile->leaders) +
	       profile->tasks_seen_ns->len * sizeof(uint64_t) +
	       index_memory(&profile->origin_index, sizeof(ProfileOrigin)) +
	       index_memory(&profile->task_index, sizeof(ProfileTask)) +
	       index_memory(&profile->cache_index, sizeof(ProfileCache)) +
	       index_memory(&profile->cell_index, sizeof(ProfileCell)) +
	       profile->values_capacity * sizeof(ProfileValues) +
	       profile->free_capacity * sizeof(uint32_t) +
	       (profile->blocks ? time_blocks_memory(profile->blocks) : 0);
}

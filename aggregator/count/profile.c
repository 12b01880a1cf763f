/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "count/profile.h"

#include "count/slot_table.h"
#include "keyed_hash.h"
#include "record/bytes.h"
#include "saturate.h"

enum {
	FIRST_ENTRIES = 256,
	FIRST_SLOTS = 512,
	ENTRIES_MAX = 1 << 30, /* a cell keeps its task in 30 bits */
	/* How the memory bound is divided, in percent. */
	STACKS_SHARE = 50,
	CELLS_SHARE = 25,
	ORIGINS_SHARE = 20,
	TASKS_SHARE = 4,
	CACHES_SHARE = 1,
};

/* A task, a cache or an origin of the batch at hand: looked up when its first event counts. */
typedef struct {
	const uint8_t *record;
	uint32_t id;   /* ID_LATER until then; ID_INNER: its events do not count */
	uint32_t cell; /* of an origin: the one that counted its last event */
} Definition;

#define ID_LATER UINT32_MAX
#define ID_INNER (UINT32_MAX - 1)

/* A dense array with its finder and the number of entries that its memory share allows. */
typedef struct {
	SlotTable slots;
	uint32_t count;
	uint32_t capacity;
	uint32_t count_max;
} Index;

struct Profile {
	StackTable *stacks;
	StackKind stack_kind;
	Index origin_index;
	ProfileOrigin *origins;
	Index task_index;
	ProfileTask *tasks;
	GArray *tasks_seen_ns; /* (element-type guint64), owned: see profile_task_seen_ns() */
	SlotTable leaders;     /* of a process the newest task that has its leader's name */
	bool keeps_threads;
	Index cache_index;
	ProfileCache *caches;
	Index cell_index;
	ProfileCell *cells;
	uint64_t window_start_ns;
	uint64_t window_end_ns;
	uint32_t epoch;
	const InnerKmallocs *inner; /* borrowed */
	bool lacks_names;           /* the table of tasks or that of caches was full */
	ProfileTotals totals;
	/* Of the batch at hand; entries below the number defined so far are valid. */
	const uint8_t *batch_stacks[KMT_DEFINITIONS_MAX];
	Definition batch_origins[2][KMT_DEFINITIONS_MAX]; /* by whether the event is a free */
	Definition batch_tasks[KMT_DEFINITIONS_MAX];
	Definition batch_caches[KMT_DEFINITIONS_MAX];
};

static void index_init(Index *index, size_t bytes_max, size_t entry_bytes)
{
	size_t count_max = bytes_max / (entry_bytes + 2 * sizeof(Slot));

	slot_table_init(&index->slots, FIRST_SLOTS);
	index->count = 0;
	index->capacity = FIRST_ENTRIES;
	index->count_max = (uint32_t)CLAMP(count_max, FIRST_ENTRIES, ENTRIES_MAX);
}

/* Returns where the next entry goes, growing the array; the caller knows that there is room. */
static void *index_append(Index *index, void **entries, size_t entry_bytes)
{
	if (index->count == index->capacity) {
		index->capacity = MIN(index->capacity * 2, index->count_max);
		*entries = g_realloc_n(*entries, index->capacity, entry_bytes);
	}
	return (uint8_t *)*entries + (size_t)index->count++ * entry_bytes;
}

static bool index_is_full(const Index *index)
{
	return index->count >= index->count_max;
}

/* Returns the entry that equals wanted, adding it when it is new; full where there is no room for
   it. All bytes are compared: wanted must have been zeroed before it was filled. */
static uint32_t intern(Index *index, void **entries, const void *wanted, size_t entry_bytes,
		       uint32_t full)
{
	uint32_t hash = (uint32_t)keyed_hash(wanted, entry_bytes);
	uint32_t at, id;

	for (at = hash; (id = slot_table_candidate(&index->slots, hash, &at)) != SLOT_ID_NONE; at++)
		if (!memcmp((uint8_t *)*entries + (size_t)id * entry_bytes, wanted, entry_bytes))
			return id;
	if (index_is_full(index))
		return full;
	memcpy(index_append(index, entries, entry_bytes), wanted, entry_bytes);
	slot_table_put(&index->slots, hash, at, index->count - 1);
	return index->count - 1;
}

static OriginId origin_intern(Profile *profile, const ProfileOrigin *wanted)
{
	return intern(&profile->origin_index, (void **)&profile->origins, wanted, sizeof(*wanted),
		      ORIGIN_ID_OVERFLOW);
}

/* Returns the newest task that has the name of that process; SLOT_ID_NONE: there is none. *at and
   *hash are then where it belongs. */
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

	if (known == SLOT_ID_NONE)
		slot_table_put(&profile->leaders, hash, at, id);
	else if (profile_task_seen_ns(profile, known) <= profile_task_seen_ns(profile, id))
		slot_table_replace(&profile->leaders, at, id);
}

/* Batches of several CPUs are not in the order of time. */
static void task_note_seen(Profile *profile, TaskId id, uint64_t time_ns)
{
	uint64_t *seen_ns;

	if (id >= profile->tasks_seen_ns->len)
		g_array_set_size(profile->tasks_seen_ns, id + 1);
	seen_ns = &g_array_index(profile->tasks_seen_ns, uint64_t, id);
	*seen_ns = MAX(*seen_ns, time_ns);
}

/* time_ns: of an event of it, 0: not known. */
static TaskId task_intern(Profile *profile, const ProfileTask *wanted, uint64_t time_ns)
{
	TaskId id = intern(&profile->task_index, (void **)&profile->tasks, wanted, sizeof(*wanted),
			   TASK_ID_OVERFLOW);

	task_note_seen(profile, id, time_ns);
	if (!wanted->is_thread_name && id != TASK_ID_OVERFLOW)
		leader_note(profile, id);
	profile->lacks_names |= id == TASK_ID_OVERFLOW;
	return id;
}

static CacheId cache_intern(Profile *profile, const ProfileCache *wanted)
{
	CacheId id = intern(&profile->cache_index, (void **)&profile->caches, wanted,
			    sizeof(*wanted), CACHE_ID_OVERFLOW);

	profile->lacks_names |= id == CACHE_ID_OVERFLOW;
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

/* Returns the cell; the one of the overflow row when there is no room for a new one. */
static inline ProfileCell *cell_intern(Profile *profile, OriginId origin, TaskId task,
				       uint8_t context)
{
	uint32_t hash = cell_hash(origin, task, context);
	Index *index = &profile->cell_index;
	uint32_t at, id;
	ProfileCell *cell;

	for (at = hash; (id = slot_table_candidate(&index->slots, hash, &at)) != SLOT_ID_NONE;
	     at++) {
		cell = &profile->cells[id];
		if (cell_is(cell, origin, task, context))
			return cell;
	}
	if (index_is_full(index))
		return &profile->cells[0];
	cell = index_append(index, (void **)&profile->cells, sizeof(*cell));
	*cell = (ProfileCell){ .origin = origin, .task = task, .context = context };
	slot_table_put(&index->slots, hash, at, index->count - 1);
	return cell;
}

/* The same for an origin of the batch at hand, whose events are mostly of one task. */
static inline ProfileCell *cell_of(Profile *profile, Definition *origin, TaskId task,
				   uint8_t context)
{
	ProfileCell *cell = &profile->cells[origin->cell];

	if (cell_is(cell, origin->id, task, context))
		return cell;
	cell = cell_intern(profile, origin->id, task, context);
	origin->cell = (uint32_t)(cell - profile->cells);
	return cell;
}

/* The rows that take what finds its table full exist from the start. */
static void add_overflow_rows(Profile *profile)
{
	ProfileOrigin origin;
	ProfileTask task;
	ProfileCache cache;

	memset(&origin, 0, sizeof(origin));
	memset(&task, 0, sizeof(task));
	memset(&cache, 0, sizeof(cache));
	origin.stack = STACK_ID_NONE;
	origin_intern(profile, &origin);
	task_intern(profile, &task, 0);
	g_strlcpy(task.comm, "[other tasks]", sizeof(task.comm));
	task_intern(profile, &task, 0);
	cache_intern(profile, &cache);
	g_strlcpy(cache.name, "[other caches]", sizeof(cache.name));
	cache_intern(profile, &cache);
	cell_intern(profile, ORIGIN_ID_OVERFLOW, TASK_ID_OVERFLOW, KMT_CONTEXT_TASK);
	profile->lacks_names = false;
}

Profile *profile_new(size_t bytes_max)
{
	Profile *profile = g_new0(Profile, 1);
	size_t percent = bytes_max / 100;

	profile->stacks = stack_table_new(percent * STACKS_SHARE);
	index_init(&profile->origin_index, percent * ORIGINS_SHARE, sizeof(ProfileOrigin));
	index_init(&profile->task_index, percent * TASKS_SHARE,
		   sizeof(ProfileTask) + sizeof(uint64_t) + 2 * sizeof(Slot));
	profile->tasks_seen_ns = g_array_new(FALSE, TRUE, sizeof(uint64_t));
	slot_table_init(&profile->leaders, FIRST_SLOTS);
	index_init(&profile->cache_index, percent * CACHES_SHARE, sizeof(ProfileCache));
	index_init(&profile->cell_index, percent * CELLS_SHARE, sizeof(ProfileCell));
	profile->origins = g_new(ProfileOrigin, profile->origin_index.capacity);
	profile->tasks = g_new(ProfileTask, profile->task_index.capacity);
	profile->caches = g_new(ProfileCache, profile->cache_index.capacity);
	profile->cells = g_new(ProfileCell, profile->cell_index.capacity);
	profile->window_end_ns = UINT64_MAX;
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
	g_free(profile);
}

void profile_keep_threads(Profile *profile)
{
	profile->keeps_threads = true;
}

void profile_set_window(Profile *profile, uint64_t start_ns, uint64_t end_ns)
{
	profile->window_start_ns = start_ns;
	profile->window_end_ns = end_ns;
}

void profile_set_epoch(Profile *profile, uint32_t epoch)
{
	profile->epoch = epoch;
}

void profile_set_inner_kmallocs(Profile *profile, const InnerKmallocs *inner)
{
	profile->inner = inner;
}

/* Everything that decoding one batch needs; lives in registers. */
typedef struct {
	Profile *profile;
	const struct KmtBatchHeader *header;
	uint32_t stacks, origins, tasks, caches; /* defined so far */
	uint32_t task;                           /* in force; KMT_NONE: none yet */
	uint64_t decoded;
	uint32_t sampling_period; /* of the batch: each of its events stands for so many */
} Decoder;

/*
 * Frames are kept in half the room where they agree in their upper halves, as those of a kernel
 * do: the upper half, then the lower halves. The tag tells, and has the symbol epoch.
 */
enum { TAG_WIDE = 1, TAG_EPOCH_SHIFT = 1 };

static StackId stack_intern(Profile *profile, const uint64_t *frames, uint32_t depth)
{
	uint32_t narrow[KMT_STACK_DEPTH_MAX + 1];
	uint32_t tag = profile->epoch << TAG_EPOCH_SHIFT;
	uint64_t differing = 0;

	narrow[0] = (uint32_t)(frames[0] >> 32);
	for (uint32_t i = 0; i < depth; i++) {
		differing |= frames[i] ^ frames[0];
		narrow[i + 1] = (uint32_t)frames[i];
	}
	if (differing >> 32)
		return stack_table_intern(profile->stacks, frames, depth * sizeof(frames[0]),
					  tag | TAG_WIDE);
	return stack_table_intern(profile->stacks, narrow, (depth + 1) * sizeof(narrow[0]), tag);
}

uint32_t profile_stack_frames(const Profile *profile, StackId id,
			      uint64_t frames[KMT_STACK_DEPTH_MAX])
{
	uint32_t length;
	const void *bytes = stack_table_bytes(profile->stacks, id, &length);
	const uint32_t *narrow = bytes;
	uint32_t depth = length / sizeof(narrow[0]) - 1;

	if (stack_table_tag(profile->stacks, id) & TAG_WIDE) {
		memcpy(frames, bytes, length);
		return length / sizeof(frames[0]);
	}
	for (uint32_t i = 0; i < depth; i++)
		frames[i] = (uint64_t)narrow[0] << 32 | narrow[i + 1];
	return depth;
}

uint32_t profile_stack_epoch(const Profile *profile, StackId id)
{
	return stack_table_tag(profile->stacks, id) >> TAG_EPOCH_SHIFT;
}

static StackId stack_of_record(Profile *profile, const struct KmtBatchHeader *header,
			       const uint8_t *record, const bool swapped)
{
	uint64_t frames[KMT_STACK_DEPTH_MAX];
	const uint8_t *from = record + sizeof(struct KmtStack);
	uint32_t depth = load_u16(record + offsetof(struct KmtStack, depth), swapped);

	if (record[0] == KMT_RECORD_STACK8)
		for (uint32_t i = 0; i < depth; i++)
			frames[i] = load_u64(from + i * 8, swapped);
	else
		for (uint32_t i = 0; i < depth; i++)
			frames[i] = header->frame_base + load_u32(from + i * 4, swapped);
	return stack_intern(profile, frames, depth);
}

static CacheId cache_of_record(Profile *profile, const uint8_t *record, const bool swapped)
{
	uint32_t name_bytes = load_u16(record + offsetof(struct KmtCache, name_bytes), swapped);
	ProfileCache cache;

	memset(&cache, 0, sizeof(cache));
	cache.object_bytes = load_u32(record + offsetof(struct KmtCache, object_bytes), swapped);
	cache.slot_bytes = load_u32(record + offsetof(struct KmtCache, slot_bytes), swapped);
	memcpy(cache.name, record + sizeof(struct KmtCache), name_bytes);
	/* What follows a terminator is not part of the name. */
	memset(cache.name + strlen(cache.name), 0, sizeof(cache.name) - strlen(cache.name));
	return cache_intern(profile, &cache);
}

static CacheId cache_defined(Profile *profile, uint16_t index, const bool swapped)
{
	Definition *cache;

	if (index == KMT_NONE)
		return CACHE_ID_UNKNOWN;
	cache = &profile->batch_caches[index];
	if (cache->id == ID_LATER)
		cache->id = cache_of_record(profile, cache->record, swapped);
	return cache->id;
}

static OriginId origin_of_record(const Decoder *decoder, const uint8_t *record, bool free,
				 const bool swapped)
{
	Profile *profile = decoder->profile;
	uint16_t stack = load_u16(record + offsetof(struct KmtOrigin, stack), swapped);
	ProfileOrigin origin;

	memset(&origin, 0, sizeof(origin));
	origin.call_site = load_u64(record + offsetof(struct KmtOrigin, call_site), swapped);
	origin.bytes_requested =
		load_u64(record + offsetof(struct KmtOrigin, bytes_requested), swapped);
	origin.bytes_allocated =
		load_u64(record + offsetof(struct KmtOrigin, bytes_allocated), swapped);
	origin.gfp_flags = load_u32(record + offsetof(struct KmtOrigin, gfp_flags), swapped);
	origin.node = (int16_t)load_u16(record + offsetof(struct KmtOrigin, node), swapped);
	origin.source = record[offsetof(struct KmtOrigin, source)];
	origin.free = free;
	origin.cache = cache_defined(
		profile, load_u16(record + offsetof(struct KmtOrigin, cache), swapped), swapped);
	if (stack == KMT_NONE) {
		/* Without a stack an event is counted at its call site. */
		origin.stack = stack_intern(profile, &origin.call_site, 1);
	} else {
		const uint8_t *defined = profile->batch_stacks[stack];

		origin.truncated = load_u16(defined + offsetof(struct KmtStack, flags), swapped) &
				   KMT_STACK_TRUNCATED;
		origin.stack = stack_of_record(profile, decoder->header, defined, swapped);
	}
	return origin.stack == STACK_ID_NONE ? ORIGIN_ID_OVERFLOW : origin_intern(profile, &origin);
}

static bool is_inner(const Decoder *decoder, const uint8_t *record, bool free, const bool swapped)
{
	if (free || record[offsetof(struct KmtOrigin, source)] != KMT_SOURCE_KMALLOC)
		return false;
	return inner_kmallocs_have(
		decoder->profile->inner,
		load_u64(record + offsetof(struct KmtOrigin, call_site), swapped),
		load_u64(record + offsetof(struct KmtOrigin, bytes_requested), swapped));
}

/* Returns whether events of this origin count; looks it up when its first event comes. */
static bool resolve_origin(const Decoder *decoder, Definition *origin, bool free,
			   const bool swapped)
{
	if (origin->id == ID_LATER)
		origin->id = is_inner(decoder, origin->record, free, swapped)
				     ? ID_INNER
				     : origin_of_record(decoder, origin->record, free, swapped);
	return origin->id != ID_INNER;
}

/* Takes a name from a record into zeroed room; what follows its terminator is not part of it. */
static void copy_comm(char comm[KMT_COMM_BYTES + 1], const uint8_t *from)
{
	memcpy(comm, from, strnlen((const char *)from, KMT_COMM_BYTES));
}

/* A record of 0.1 ends before the leader's name. */
static bool has_leader(const uint8_t *record)
{
	return (size_t)record[1] * KMT_RECORD_UNIT_BYTES >= sizeof(struct KmtTask) &&
	       record[offsetof(struct KmtTask, leader)];
}

static TaskId task_of_record(Profile *profile, const uint8_t *record, uint64_t time_ns,
			     const bool swapped)
{
	const uint8_t *comm = record + offsetof(struct KmtTask, comm);
	uint32_t tid = load_u32(record + offsetof(struct KmtTask, tid), swapped);
	bool is_told = has_leader(record);
	ProfileTask task;

	memset(&task, 0, sizeof(task));
	task.tgid = load_u32(record + offsetof(struct KmtTask, tgid), swapped);
	task.start_time_ns = load_u64(record + offsetof(struct KmtTask, start_time_ns), swapped);
	task.cgroup_id = load_u64(record + offsetof(struct KmtTask, cgroup_id), swapped);
	task.is_thread_name = !is_told && tid != task.tgid;
	copy_comm(task.comm, is_told ? record + offsetof(struct KmtTask, leader) : comm);
	if (profile->keeps_threads) {
		copy_comm(task.thread_comm, comm);
		task.tid = tid;
	}
	return task_intern(profile, &task, time_ns);
}

/* time_ns: of the event at hand, the first one of its task in this batch or a later one. */
static TaskId task_in_force(const Decoder *decoder, uint64_t time_ns, const bool swapped)
{
	Definition *task;

	if (decoder->task == KMT_NONE)
		return TASK_ID_UNKNOWN;
	task = &decoder->profile->batch_tasks[decoder->task];
	if (G_UNLIKELY(task->id == ID_LATER))
		task->id = task_of_record(decoder->profile, task->record, time_ns, swapped);
	return task->id;
}

/* What has a cell, though not by the name of its task or cache: those of the overflow row have
   neither, and are counted as over_bound. */
static void count_nameless(Profile *profile, const ProfileCell *cell, uint64_t weight)
{
	if (cell->origin == ORIGIN_ID_OVERFLOW)
		return;
	if (cell->task == TASK_ID_OVERFLOW)
		profile->totals.of_other_tasks += weight;
	if (profile->origins[cell->origin].cache == CACHE_ID_OVERFLOW)
		profile->totals.of_other_caches += weight;
}

/* Adds to the sums of the profile what was counted in that cell. */
static inline void add_to_totals(Profile *profile, const ProfileCell *cell, uint64_t weight)
{
	saturate_add(&profile->totals.events, weight);
	saturate_add(&profile->totals.over_bound, cell->origin == ORIGIN_ID_OVERFLOW ? weight : 0);
	if (G_UNLIKELY(profile->lacks_names))
		count_nameless(profile, cell, weight);
}

static inline bool is_free(const uint8_t *record, const bool swapped)
{
	return record[0] == KMT_RECORD_FREE ||
	       (record[0] == KMT_RECORD_SAMPLED &&
		load_u32(record + offsetof(struct KmtSampled, flags), swapped) & KMT_SAMPLED_FREE);
}

/* Adds what events of that weight each add to the variance of an estimate. */
static inline void add_variance(ProfileCell *cell, uint64_t weight, uint32_t events)
{
	uint64_t added;

	if (G_LIKELY(weight <= 1))
		return;
	/* A weight has 32 bits. */
	if (!g_uint64_checked_mul(&added, weight * (weight - 1), events) ||
	    !g_uint64_checked_add(&cell->variance, cell->variance, added))
		cell->variance = UINT64_MAX;
}

/* Counts the events of one record. Returns false when it refers to an origin that is not there. */
static inline bool count_event(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	Profile *profile = decoder->profile;
	bool free = is_free(record, swapped);
	uint32_t index = load_u16(record + 2, swapped);
	uint32_t when = load_u32(record + offsetof(struct KmtEvent, when), swapped);
	uint64_t last = load_u64(record + offsetof(struct KmtEvent, pointer), swapped);
	uint64_t time_ns = decoder->header->base_time_ns + (when & KMT_TIME_MASK);
	Definition *origin = &profile->batch_origins[free][index & (KMT_DEFINITIONS_MAX - 1)];
	uint64_t each = decoder->sampling_period; /* event stands for so many */
	uint64_t weight;
	uint32_t events = 1;
	ProfileCell *cell;

	if (G_UNLIKELY(index >= decoder->origins))
		return false;
	if (record[0] == KMT_RECORD_REPEATED)
		events = load_u32(record + offsetof(struct KmtRepeated, events), swapped);
	else if (record[0] == KMT_RECORD_SAMPLED)
		each = load_u32(record + offsetof(struct KmtSampled, weight), swapped);
	weight = record[0] == KMT_RECORD_WEIGHTED ? last : saturate_product(each, events);
	decoder->decoded += events;
	if (G_UNLIKELY(time_ns < profile->window_start_ns || time_ns > profile->window_end_ns)) {
		saturate_add(&profile->totals.outside_window, weight);
		return true;
	}
	if (G_UNLIKELY(origin->id >= ID_INNER) && !resolve_origin(decoder, origin, free, swapped))
		return true;
	cell = cell_of(profile, origin, task_in_force(decoder, time_ns, swapped),
		       when >> KMT_CONTEXT_SHIFT);
	add_to_totals(profile, cell, weight);
	if (G_LIKELY(last))
		saturate_add(&cell->events, weight);
	else
		saturate_add(&cell->failed, weight);
	/* A sum of known events is no estimate. */
	if (record[0] != KMT_RECORD_WEIGHTED)
		add_variance(cell, each, events);
	return true;
}

static bool define_stack(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			 const bool swapped)
{
	uint32_t depth = load_u16(record + offsetof(struct KmtStack, depth), swapped);
	uint32_t frame_bytes = record[0] == KMT_RECORD_STACK8 ? 8 : 4;

	if (bytes < sizeof(struct KmtStack) + depth * frame_bytes || !depth ||
	    depth > KMT_STACK_DEPTH_MAX || decoder->stacks == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->stacks)
		return false;
	decoder->profile->batch_stacks[decoder->stacks++] = record;
	return true;
}

static bool define_cache(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			 const bool swapped)
{
	uint32_t name_bytes;

	if (bytes < sizeof(struct KmtCache))
		return false;
	name_bytes = load_u16(record + offsetof(struct KmtCache, name_bytes), swapped);
	if (bytes < sizeof(struct KmtCache) + name_bytes || !name_bytes ||
	    name_bytes > KMT_CACHE_NAME_BYTES_MAX || decoder->caches == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->caches)
		return false;
	decoder->profile->batch_caches[decoder->caches++] = (Definition){ record, ID_LATER, 0 };
	return true;
}

static bool define_origin(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	uint16_t stack = load_u16(record + offsetof(struct KmtOrigin, stack), swapped);
	uint16_t cache = load_u16(record + offsetof(struct KmtOrigin, cache), swapped);
	Definition origin = { record, ID_LATER, 0 };

	if ((stack != KMT_NONE && stack >= decoder->stacks) ||
	    (cache != KMT_NONE && cache >= decoder->caches) ||
	    decoder->origins == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->origins)
		return false;
	decoder->profile->batch_origins[false][decoder->origins] = origin;
	decoder->profile->batch_origins[true][decoder->origins++] = origin;
	return true;
}

static bool define_task(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	if (decoder->tasks == KMT_DEFINITIONS_MAX ||
	    load_u16(record + 2, swapped) != decoder->tasks)
		return false;
	decoder->profile->batch_tasks[decoder->tasks] = (Definition){ record, ID_LATER, 0 };
	decoder->task = decoder->tasks++;
	return true;
}

static bool use_task(Decoder *decoder, const uint8_t *record, const bool swapped)
{
	uint32_t task = load_u16(record + 2, swapped);

	if (task >= decoder->tasks)
		return false;
	decoder->task = task;
	return true;
}

/* Returns false when the record makes no sense: the rest of the batch is then damaged. */
static inline bool decode(Decoder *decoder, const uint8_t *record, uint32_t bytes,
			  const bool swapped)
{
	switch (record[0]) {
	case KMT_RECORD_ALLOC:
	case KMT_RECORD_FREE:
	case KMT_RECORD_WEIGHTED:
	case KMT_RECORD_REPEATED:
		return bytes >= sizeof(struct KmtEvent) && count_event(decoder, record, swapped);
	case KMT_RECORD_SAMPLED:
		return bytes >= sizeof(struct KmtSampled) && count_event(decoder, record, swapped);
	case KMT_RECORD_STACK4:
	case KMT_RECORD_STACK8:
		return define_stack(decoder, record, bytes, swapped);
	case KMT_RECORD_ORIGIN:
		return bytes >= sizeof(struct KmtOrigin) && define_origin(decoder, record, swapped);
	case KMT_RECORD_CACHE:
		return define_cache(decoder, record, bytes, swapped);
	case KMT_RECORD_TASK:
		return bytes >= offsetof(struct KmtTask, leader) &&
		       define_task(decoder, record, swapped);
	case KMT_RECORD_TASK_USE:
		return use_task(decoder, record, swapped);
	case KMT_RECORD_PAD:
	case KMT_RECORD_HEARTBEAT:
		return true;
	default:
		decoder->profile->totals.unknown_records++;
		return true;
	}
}

/* Instantiated for either byte order, so that the native one pays nothing for the other. */
static inline uint64_t count_records(Profile *profile, const Batch *batch, const bool swapped)
{
	Decoder decoder = {
		.profile = profile,
		.header = &batch->header,
		.task = KMT_NONE,
		.sampling_period = MAX(batch->header.sampling_period, 1),
	};
	const uint8_t *at = batch->content;
	const uint8_t *end = at + batch->content_bytes;

	while (end - at >= KMT_RECORD_UNIT_BYTES) {
		uint32_t bytes = (uint32_t)at[1] * KMT_RECORD_UNIT_BYTES;

		if (!bytes || bytes > (size_t)(end - at) || !decode(&decoder, at, bytes, swapped))
			break;
		at += bytes;
	}
	if (batch->header.events > decoder.decoded)
		profile->totals.damaged += batch->header.events - decoder.decoded;
	return decoder.decoded;
}

uint64_t profile_count_batch(Profile *profile, const Batch *batch)
{
	return batch->swapped ? count_records(profile, batch, true)
			      : count_records(profile, batch, false);
}

static TaskId task_of_text(Profile *profile, const ProfileTask *told, uint64_t time_ns)
{
	ProfileTask task;

	if (!told)
		return TASK_ID_UNKNOWN;
	memcpy(&task, told, sizeof(task));
	if (!profile->keeps_threads) {
		task.tid = 0;
		memset(task.thread_comm, 0, sizeof(task.thread_comm));
	}
	return task_intern(profile, &task, time_ns);
}

void profile_count_text(Profile *profile, const ProfileText *events)
{
	ProfileOrigin origin;
	OriginId origin_id;
	TaskId task_id;
	ProfileCell *cell;

	profile->stack_kind = STACK_TEXT;
	if (events->time_ns && (events->time_ns < profile->window_start_ns ||
				events->time_ns > profile->window_end_ns)) {
		profile->totals.outside_window += events->weight;
		return;
	}
	task_id = task_of_text(profile, events->task, events->time_ns);
	memset(&origin, 0, sizeof(origin));
	origin.stack =
		stack_table_intern(profile->stacks, events->text, events->length, profile->epoch);
	origin.bytes_requested = events->bytes_requested;
	origin.bytes_allocated = events->bytes_allocated;
	origin.source = events->source;
	origin.gfp_flags = events->gfp_flags;
	if (events->cache)
		origin.cache = cache_intern(profile, events->cache);
	origin_id = origin.stack == STACK_ID_NONE ? ORIGIN_ID_OVERFLOW
						  : origin_intern(profile, &origin);
	cell = cell_intern(profile, origin_id, task_id, KMT_CONTEXT_TASK);
	add_to_totals(profile, cell, events->weight);
	saturate_add(&cell->events, events->weight);
}

ProfileTotals profile_totals(const Profile *profile)
{
	return profile->totals;
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
	return &profile->origins[id];
}

uint32_t profile_task_count(const Profile *profile)
{
	return profile->task_index.count;
}

const ProfileTask *profile_task(const Profile *profile, TaskId id)
{
	return &profile->tasks[id];
}

uint64_t profile_task_seen_ns(const Profile *profile, TaskId id)
{
	return g_array_index(profile->tasks_seen_ns, uint64_t, id);
}

const char *profile_process_name(const Profile *profile, TaskId id)
{
	const ProfileTask *task = &profile->tasks[id];
	uint32_t hash, at;
	TaskId leader;

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
	return &profile->caches[id];
}

uint32_t profile_cell_count(const Profile *profile)
{
	return profile->cell_index.count;
}

const ProfileCell *profile_cell(const Profile *profile, uint32_t index)
{
	return &profile->cells[index];
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
	       index_memory(&profile->cell_index, sizeof(ProfileCell));
}

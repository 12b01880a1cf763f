/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table of live objects, made for memory and cache misses: 16 parts, each an array of chunks
 * of 14 slots with a byte of tag for each slot. A part grows by half when it is three quarters
 * full, alone, so the pauses are short. Times are stored in units that double in long runs.
 * pairing.c is its only user, millions of times a second.
 */
#include "held/live_table.h"

#include "base/hot_assert.h"
#include "base/keyed_hash.h"
#include "base/unconst.h"

#include <glib.h>
#include <sys/mman.h>

enum {
	PARTS_BITS = 4,
	PARTS = 1 << PARTS_BITS,
	WORDS = 2,                  /* of tags, in a chunk */
	WORD_SLOTS = 7,             /* of one word */
	SLOTS = WORDS * WORD_SLOTS, /* of a chunk */
	FIRST_CHUNKS = 8,
	/* A part grows by half when three quarters of its slots are in use. */
	FULL_NUMERATOR = 3,
	FULL_DENOMINATOR = 4,
	OVERFLOW_SHIFT = 8 * WORD_SLOTS, /* of the count, in the first word of tags */
	OVERFLOW_MAX = 255,              /* saturated: stays until the part grows */
	TAG_USED = 0x80,                 /* a tag is never 0 */
	UNIT_SHIFT_FIRST = 8,            /* the unit of times: 256 ns at first */
	TIME_BITS = 38,
	TIME_LOW_BITS = 22,
	TIME_HIGH_BITS = TIME_BITS - TIME_LOW_BITS,
	CELL_BITS = 30,
	CPU_BITS = 12,
	HUGE_BYTES_MIN = 4 << 20, /* a smaller array may not contain a whole huge page */
};

#define TAGS_ONES 0x0001010101010101ULL
#define TAGS_TOPS 0x0080808080808080ULL
#define OVERFLOW_ONE (1ULL << OVERFLOW_SHIFT)
#define TIME_MAX ((1ULL << TIME_BITS) - 1)

/* The key and the upper bits of the time; the cell, the CPU and the lower bits of the time. */
typedef struct {
	uint64_t key_time;
	uint64_t cell_cpu_time;
} LiveSlot;

/* A byte per slot; 0: free. The last byte of the first word counts overflows. */
typedef struct {
	uint64_t words[WORDS];
} Tags;

/* Tags and slots are neighbours: a lookup needs one address translation. */
typedef struct {
	Tags tags;
	LiveSlot slots[SLOTS];
} Chunk;

typedef struct {
	Chunk *chunks;
	uint32_t count; /* of chunks */
	uint32_t used;  /* slots */
	uint32_t used_max;
} Part;

struct LiveTable {
	Part parts[PARTS];
	size_t bytes;
	size_t bytes_max;
	uint64_t start_ns;
	unsigned unit_shift;
};

static size_t chunks_bytes(uint32_t count)
{
	return count * sizeof(Chunk);
}

static void part_init(Part *part, uint32_t count)
{
	size_t bytes = chunks_bytes(count);

	part->chunks =
		mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if ((void *)part->chunks == MAP_FAILED)
		g_error("no memory for %zu bytes", bytes);
	/* Lookups in a large table mostly wait for address translation: huge pages make them
	   several times faster. */
	if (bytes >= HUGE_BYTES_MIN)
		madvise(part->chunks, bytes, MADV_HUGEPAGE);
	part->count = count;
	part->used = 0;
	part->used_max = (uint32_t)((uint64_t)count * SLOTS * FULL_NUMERATOR / FULL_DENOMINATOR);
}

static void part_clear(Part *part)
{
	munmap(part->chunks, chunks_bytes(part->count));
}

LiveTable *live_table_new(size_t bytes_max, uint64_t start_ns)
{
	LiveTable *table = g_new0(LiveTable, 1);

	for (unsigned i = 0; i < PARTS; i++)
		part_init(&table->parts[i], FIRST_CHUNKS);
	table->bytes = PARTS * chunks_bytes(FIRST_CHUNKS);
	table->bytes_max = bytes_max;
	table->start_ns = start_ns;
	table->unit_shift = UNIT_SHIFT_FIRST;
	return table;
}

void live_table_free(LiveTable *table)
{
	if (!table)
		return;
	for (unsigned i = 0; i < PARTS; i++)
		part_clear(&table->parts[i]);
	g_free(table);
}

bool live_table_set_memory(LiveTable *table, size_t bytes_max)
{
	if (bytes_max <= table->bytes_max)
		return false;
	table->bytes_max = bytes_max;
	return true;
}

uint64_t live_table_hash(uint64_t key)
{
	uint64_t hash = (key ^ keyed_hash_seed) * keyed_hash_factor;

	hash ^= hash >> 32;
	hash *= keyed_hash_factor;
	return hash ^ hash >> 29;
}

/* The upper bits of a hash choose the part, the next ones the chunk, the lowest ones the tag. */
static inline const Part *part_of(const LiveTable *table, uint64_t hash)
{
	return &table->parts[hash >> (64 - PARTS_BITS)];
}

static inline Part *part_to_change(LiveTable *table, uint64_t hash)
{
	return unconst(part_of(table, hash));
}

static inline uint32_t home_of(const Part *part, uint64_t hash)
{
	return (uint32_t)(((hash << PARTS_BITS >> 32) * part->count) >> 32);
}

static inline uint64_t tag_of(uint64_t hash)
{
	return (hash & (TAG_USED - 1)) | TAG_USED;
}

static inline uint32_t next_chunk(const Part *part, uint32_t chunk)
{
	hot_assert(chunk < part->count);
	return chunk + 1 == part->count ? 0 : chunk + 1;
}

static inline LiveSlot *slot_at(const Part *part, uint32_t chunk, unsigned number)
{
	hot_assert(chunk < part->count && number <= SLOTS);
	return &part->chunks[chunk].slots[number];
}

/* Returns the top bits of the bytes of a word that are 0. Bytes after the first one may be
   reported wrongly. */
static inline uint64_t zero_bytes(uint64_t word)
{
	return (word - TAGS_ONES) & ~word & TAGS_TOPS;
}

/* Return the slots of a word, as the top bits of their bytes: those with this tag (and perhaps
   others, but no free ones), and the free ones (only the first is certain). */
static inline uint64_t live_table_tagged(uint64_t word, uint64_t tag)
{
	return zero_bytes((word ^ tag * TAGS_ONES) & (OVERFLOW_ONE - 1));
}

static inline uint64_t free_slots(uint64_t word)
{
	return zero_bytes(word & (OVERFLOW_ONE - 1));
}

static inline unsigned first_of(uint64_t tops)
{
	return (unsigned)__builtin_ctzll(tops) / 8;
}

static inline unsigned overflow_of(const Tags *tags)
{
	return (unsigned)(tags->words[0] >> OVERFLOW_SHIFT);
}

/* Returns the number of a free slot; SLOTS: there is none. */
static inline unsigned free_slot(const Tags *tags)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (free_slots(tags->words[i]))
			return i * WORD_SLOTS + first_of(free_slots(tags->words[i]));
	return SLOTS;
}

/* Returns the number of the first slot that may have the key of this hash; SLOTS: there is none. */
static inline unsigned likely_slot(const Tags *tags, uint64_t hash)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (live_table_tagged(tags->words[i], tag_of(hash)))
			return i * WORD_SLOTS +
			       first_of(live_table_tagged(tags->words[i], tag_of(hash)));
	return SLOTS;
}

void live_table_prefetch_tags(const LiveTable *table, uint64_t hash)
{
	const Part *part = part_of(table, hash);

	__builtin_prefetch(&part->chunks[home_of(part, hash)].tags, 1);
}

void live_table_prefetch_slot(const LiveTable *table, uint64_t hash, bool is_free)
{
	const Part *part = part_of(table, hash);
	uint32_t home = home_of(part, hash);
	const Tags *tags = &part->chunks[home].tags;

	__builtin_prefetch(slot_at(part, home, is_free ? likely_slot(tags, hash) : free_slot(tags)),
			   1);
}

static uint64_t units_of(const LiveTable *table, uint64_t time_ns)
{
	return (time_ns - MIN(time_ns, table->start_ns)) >> table->unit_shift;
}

static LiveSlot slot_pack(uint64_t key, uint64_t time, uint64_t cell, uint64_t cpu)
{
	hot_assert(time <= TIME_MAX && cell <= LIVE_CELL_MAX && cpu <= LIVE_CPU_MASK);
	return (LiveSlot){
		.key_time = key << TIME_HIGH_BITS | time >> TIME_LOW_BITS,
		.cell_cpu_time = cell | cpu << CELL_BITS | time << (CELL_BITS + CPU_BITS),
	};
}

static inline uint64_t slot_key(const LiveSlot *slot)
{
	return slot->key_time >> TIME_HIGH_BITS;
}

static inline uint64_t slot_time(const LiveSlot *slot)
{
	return (slot->key_time & ((1ULL << TIME_HIGH_BITS) - 1)) << TIME_LOW_BITS |
	       slot->cell_cpu_time >> (CELL_BITS + CPU_BITS);
}

static inline uint32_t slot_cell(const LiveSlot *slot)
{
	return (uint32_t)slot->cell_cpu_time & LIVE_CELL_MAX;
}

uint32_t live_table_likely_cell(const LiveTable *table, uint64_t hash)
{
	const Part *part = part_of(table, hash);
	uint32_t home = home_of(part, hash);
	unsigned number = likely_slot(&part->chunks[home].tags, hash);

	return number == SLOTS ? LIVE_CELL_NONE : slot_cell(slot_at(part, home, number));
}

static inline uint16_t slot_cpu(const LiveSlot *slot)
{
	return (slot->cell_cpu_time >> CELL_BITS) & LIVE_CPU_MASK;
}

static LiveObject object_of(const LiveTable *table, const LiveSlot *slot)
{
	return (LiveObject){
		.time_ns = table->start_ns + (slot_time(slot) << table->unit_shift),
		.cell = slot_cell(slot),
		.cpu = slot_cpu(slot),
	};
}

static inline LiveSlot *chunk_find(const Part *part, uint32_t chunk, uint64_t key, uint64_t tag)
{
	for (unsigned i = 0; i < WORDS; i++) {
		uint64_t found = live_table_tagged(part->chunks[chunk].tags.words[i], tag);

		for (; found; found &= found - 1) {
			LiveSlot *slot = slot_at(part, chunk, i * WORD_SLOTS + first_of(found));

			if (slot_key(slot) == key)
				return slot;
		}
	}
	return NULL;
}

/* Returns the slot with a key, or NULL. *chunk_at: its chunk. */
static inline LiveSlot *part_find(const Part *part, uint64_t key, uint64_t hash, uint32_t *chunk_at)
{
	uint32_t chunk = home_of(part, hash);

	for (uint32_t passed = 0; passed < part->count; passed++) {
		LiveSlot *slot = chunk_find(part, chunk, key, tag_of(hash));

		*chunk_at = chunk;
		if (slot || !overflow_of(&part->chunks[chunk].tags))
			return slot;
		chunk = next_chunk(part, chunk);
	}
	return NULL;
}

/* Stores a slot whose key is not in use. The part has a free slot. */
static void part_insert(Part *part, uint64_t hash, const LiveSlot *slot)
{
	uint32_t chunk = home_of(part, hash);
	unsigned number;

	hot_assert(part->used < (uint64_t)part->count * SLOTS);
	while ((number = free_slot(&part->chunks[chunk].tags)) == SLOTS) {
		if (overflow_of(&part->chunks[chunk].tags) < OVERFLOW_MAX)
			part->chunks[chunk].tags.words[0] += OVERFLOW_ONE;
		chunk = next_chunk(part, chunk);
	}
	part->chunks[chunk].tags.words[number / WORD_SLOTS] |= tag_of(hash)
							       << 8 * (number % WORD_SLOTS);
	*slot_at(part, chunk, number) = *slot;
	part->used++;
}

static void part_remove(Part *part, uint64_t hash, uint32_t chunk, const LiveSlot *slot)
{
	unsigned number = (unsigned)(slot - slot_at(part, chunk, 0));

	hot_assert(number < SLOTS && part->used);
	part->chunks[chunk].tags.words[number / WORD_SLOTS] &=
		~(0xffULL << 8 * (number % WORD_SLOTS));
	for (uint32_t passed = home_of(part, hash); passed != chunk;
	     passed = next_chunk(part, passed))
		if (overflow_of(&part->chunks[passed].tags) < OVERFLOW_MAX)
			part->chunks[passed].tags.words[0] -= OVERFLOW_ONE;
	part->used--;
}

/* Takes a slot in use, and its chunk. */
typedef void (*SlotVisitor)(Part *part, uint32_t chunk, LiveSlot *slot, void *user_data);

static void part_each(Part *part, SlotVisitor visit, void *user_data)
{
	for (uint32_t chunk = 0; chunk < part->count; chunk++)
		for (unsigned number = 0; number < SLOTS; number++) {
			uint64_t word = part->chunks[chunk].tags.words[number / WORD_SLOTS];

			if (word >> 8 * (number % WORD_SLOTS) & TAG_USED)
				visit(part, chunk, slot_at(part, chunk, number), user_data);
		}
}

/* A SlotVisitor. */
static void move_to(Part *from, uint32_t chunk, LiveSlot *slot, void *to)
{
	(void)from;
	(void)chunk;
	part_insert(to, live_table_hash(slot_key(slot)), slot);
}

/* Returns false if the limit does not allow it. */
static bool part_grow(LiveTable *table, Part *part)
{
	uint32_t count = part->count + part->count / 2;
	size_t bytes = chunks_bytes(count);
	Part grown;

	if (table->bytes + bytes > table->bytes_max || count < part->count)
		return false;
	part_init(&grown, count);
	part_each(part, move_to, &grown);
	table->bytes += bytes - chunks_bytes(part->count);
	part_clear(part);
	*part = grown;
	return true;
}

/* A SlotVisitor. */
static void halve_time(Part *part, uint32_t chunk, LiveSlot *slot, void *user_data)
{
	(void)part;
	(void)chunk;
	(void)user_data;
	*slot = slot_pack(slot_key(slot), slot_time(slot) >> 1, slot_cell(slot), slot_cpu(slot));
}

/* The run has become too long for the unit of times. */
static void double_unit(LiveTable *table)
{
	for (unsigned i = 0; i < PARTS; i++)
		part_each(&table->parts[i], halve_time, NULL);
	table->unit_shift++;
}

LivePut live_table_put(LiveTable *table, uint64_t key, uint64_t hash, const LiveObject *object,
		       LiveObject *replaced)
{
	Part *part = part_to_change(table, hash);
	uint32_t chunk;
	LiveSlot *slot = part_find(part, key, hash, &chunk);
	LiveSlot added;

	while (G_UNLIKELY(units_of(table, object->time_ns) > TIME_MAX))
		double_unit(table);
	added = slot_pack(key, units_of(table, object->time_ns), object->cell,
			  object->cpu & LIVE_CPU_MASK);
	if (G_UNLIKELY(slot)) {
		*replaced = object_of(table, slot);
		*slot = added;
		return LIVE_REPLACED;
	}
	if (G_UNLIKELY(part->used >= part->used_max) && !part_grow(table, part))
		return LIVE_FULL;
	part_insert(part, hash, &added);
	return LIVE_ADDED;
}

bool live_table_remove(LiveTable *table, uint64_t key, uint64_t hash, LiveObject *removed)
{
	Part *part = part_to_change(table, hash);
	uint32_t chunk;
	LiveSlot *slot = part_find(part, key, hash, &chunk);

	if (!slot)
		return false;
	*removed = object_of(table, slot);
	part_remove(part, hash, chunk, slot);
	return true;
}

typedef struct {
	LiveTable *table;
	LiveKeeper keep;
	void *user_data;
} Filtering;

/* A SlotVisitor. */
static void filter_slot(Part *part, uint32_t chunk, LiveSlot *slot, void *user_data)
{
	const Filtering *filtering = user_data;
	uint64_t key = slot_key(slot);
	LiveObject object = object_of(filtering->table, slot);

	if (!filtering->keep(key, &object, filtering->user_data))
		part_remove(part, live_table_hash(key), chunk, slot);
}

void live_table_filter(LiveTable *table, LiveKeeper keep, void *user_data)
{
	Filtering filtering = { table, keep, user_data };

	for (unsigned i = 0; i < PARTS; i++)
		part_each(&table->parts[i], filter_slot, &filtering);
}

typedef struct {
	const LiveTable *table;
	LiveVisitor visit;
	void *user_data;
} Visiting;

/* A SlotVisitor. */
static void visit_slot(Part *part, uint32_t chunk, LiveSlot *slot, void *user_data)
{
	const Visiting *visiting = user_data;
	const LiveObject object = object_of(visiting->table, slot);

	(void)part;
	(void)chunk;
	visiting->visit(&object, visiting->user_data);
}

void live_table_each(const LiveTable *table, LiveVisitor visit, void *user_data)
{
	Visiting visiting = { table, visit, user_data };

	for (unsigned i = 0; i < PARTS; i++)
		part_each(unconst(&table->parts[i]), visit_slot, &visiting);
}

size_t live_table_memory(const LiveTable *table)
{
	return sizeof(*table) + table->bytes;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cache a page belonged to at a time: a set-associative table of pages with their ends (8
 * places in a set), and a table of caches. A page that is not known is read from the kernel's
 * memory; one that is alive is read again after a second. What contradicts what is known switches
 * the whole answer off. perf_names.c asks it for each object, and enters the ends of slabs.
 */
#include "collect/slabs/slab_pages.h"

#include "base/bytes.h"
#include "collect/tracefs/kmem_points.h"

#include <string.h>

enum {
	PAGE_SHIFT = 12,         /* x86-64 */
	SETS = 1 << 15,          /* of the table of pages */
	WAYS = 8,                /* places for a page */
	CACHES_MAX = 4096,       /* a kernel has some 200; also stands for "no cache" */
	CHAINS = 1 << 10,        /* of the table of caches */
	CONTRADICTIONS_MIN = 16, /* with so many, and more than one of this number of slabs ... */
	SLABS_PER_CONTRADICTION = 1000, /* ... something else is wrong than lost ends */
	TRIES = 3,                      /* to read a cache that is being destroyed */
	STRUCT_BYTES_MAX = 512,
	SLAB_PAGES_MAX = 1 << 10,
	PAGE_BYTES = 1 << PAGE_SHIFT,
};
/* CONFIG_KFENCE_NUM_OBJECTS is at most 65,535; each object has a page, and a guard page behind it.
   The pool begins with two pages more (lib/Kconfig.kfence and include/linux/kfence.h, since 5.12).
 */
#define KFENCE_POOL_BYTES_MAX (65536ULL * 2 * PAGE_BYTES)
#define ALIVE UINT64_MAX
#define CHECK_NS 1000000000ULL /* how long a page is trusted */

/* What is known of a page: its cache up to a time. A page may have several ends. */
typedef struct {
	uint64_t page;     /* its address / 4096; 0: a free place */
	uint64_t until_ns; /* ALIVE: it has not been freed */
	uint64_t read_ns;  /* if it is ALIVE: when it was read, in time of the objects */
	uint32_t cache;
} Place;

typedef struct {
	uint64_t address;
	uint32_t object_bytes, slot_bytes;
	uint32_t live; /* its places that are ALIVE: while there are any, it has not been destroyed
			*/
	uint32_t next; /* with the same hash of its address; CACHES_MAX: none */
	EventCache name;
} Cache;

struct SlabPages {
	const KernelMemory *memory;
	CacheLayout layout;
	SlabEnds ends;
	uint64_t settled_ns;   /* ends up to then are of no more use */
	uint64_t uncertain_ns; /* up to then, ends may be missing */
	uint64_t unknown;
	uint64_t slabs_read, contradictions;
	uint64_t kfence_pool; /* address of the kernel's pointer to it; 0: not found */
	bool kfence_is_searched;
	unsigned caches_count;
	const char *contradiction; /* NULL: none */
	uint32_t chains[CHAINS];   /* the first cache of each */
	Cache caches[CACHES_MAX];
	Place places[SETS][WAYS];
};

/* What is read of a slab. */
typedef struct {
	uint64_t cache_address;
	uint64_t first_page;
	uint32_t objects;
} Slab;

static bool slab_pages_fits(long offset, size_t bytes)
{
	return offset != CACHE_LAYOUT_UNKNOWN && offset >= 0 &&
	       (size_t)offset + bytes <= STRUCT_BYTES_MAX;
}

const char *slab_pages_problem(const CacheLayout *layout)
{
	if (layout->memcg_params != CACHE_LAYOUT_UNKNOWN)
		return "each cgroup has caches of its own";
	if (!slab_pages_fits(layout->slab_cache, 8) || !slab_pages_fits(layout->counters, 8) ||
	    !slab_pages_fits(layout->compound_head, 8) || !slab_pages_fits(layout->name, 8) ||
	    !slab_pages_fits(layout->object_size, 4) || !slab_pages_fits(layout->size, 4) ||
	    !slab_pages_fits(layout->page_bytes, 0) ||
	    layout->page_bytes < layout->slab_cache + 8 ||
	    layout->page_bytes < layout->counters + 8)
		return "the layout of its page structs is not known";
	return NULL;
}

SlabPages *slab_pages_new(const KernelMemory *memory, const CacheLayout *layout,
			  const SlabEnds *ends)
{
	SlabPages *pages = g_new0(SlabPages, 1);

	pages->memory = memory;
	pages->layout = *layout;
	pages->ends = *ends;
	for (unsigned i = 0; i < CHAINS; i++)
		pages->chains[i] = CACHES_MAX;
	return pages;
}

void slab_pages_free(SlabPages *pages)
{
	g_free(pages);
}

const char *slab_pages_contradiction(const SlabPages *pages)
{
	return pages->contradiction;
}

uint64_t slab_pages_unknown(const SlabPages *pages)
{
	return pages->unknown;
}

/* The table of pages. */

static uint32_t hash_of(uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15ULL >> 32);
}

static Place *set_of(SlabPages *pages, uint64_t page)
{
	return pages->places[hash_of(page) & (SETS - 1)];
}

/* Returns the earliest end of a page at that time or later, or else its place if it is alive. */
static Place *slab_pages_lookup(SlabPages *pages, uint64_t page, uint64_t time_ns)
{
	Place *set = set_of(pages, page), *found = NULL;

	for (unsigned i = 0; i < WAYS; i++)
		if (set[i].page == page && set[i].until_ns >= time_ns &&
		    (!found || set[i].until_ns < found->until_ns))
			found = &set[i];
	return found;
}

static void slab_pages_clear(SlabPages *pages, Place *place)
{
	g_assert(place->cache < pages->caches_count);
	if (place->page && place->until_ns == ALIVE)
		pages->caches[place->cache].live--;
	*place = (Place){ 0 };
}

static void slab_pages_contradict(SlabPages *pages, const char *what)
{
	pages->contradictions++;
	if (pages->contradictions >= CONTRADICTIONS_MIN &&
	    pages->contradictions * SLABS_PER_CONTRADICTION > pages->slabs_read)
		pages->contradiction = what;
	pages->ends.end_was_lost(pages->ends.user_data, what);
}

typedef enum { NEED_NONE, NEED_LITTLE, NEED_MUCH } Need;

/* An end is needed until all objects allocated before it have been looked up. A page that is alive
   can be read again. */
static Need need_of(const SlabPages *pages, const Place *place)
{
	if (!place->page || place->until_ns <= pages->settled_ns)
		return NEED_NONE;
	return place->until_ns == ALIVE ? NEED_LITTLE : NEED_MUCH;
}

static Place *least_needed(const SlabPages *pages, Place *set)
{
	Place *least = set;

	for (unsigned i = 1; i < WAYS; i++) {
		Need need = need_of(pages, &set[i]), least_need = need_of(pages, least);

		if (need < least_need || (need == least_need && set[i].until_ns < least->until_ns))
			least = &set[i];
	}
	return least;
}

static void slab_pages_enter(SlabPages *pages, const Place *new)
{
	Place *place = least_needed(pages, set_of(pages, new->page));

	g_assert(new->cache < pages->caches_count);
	if (need_of(pages, place) == NEED_MUCH && new->until_ns == ALIVE)
		return;
	if (place->page && place->until_ns != ALIVE)
		pages->uncertain_ns = MAX(pages->uncertain_ns, place->until_ns);
	slab_pages_clear(pages, place);
	*place = *new;
	if (new->until_ns == ALIVE)
		pages->caches[new->cache].live++;
}

/* The caches. */

static bool is_same(const Cache *left, const Cache *right)
{
	return left->address == right->address && left->object_bytes == right->object_bytes &&
	       left->slot_bytes == right->slot_bytes &&
	       left->name.name_bytes == right->name.name_bytes &&
	       !memcmp(left->name.name, right->name.name, left->name.name_bytes);
}

/* Returns the number of a cache, adding it if it is new; CACHES_MAX: no room. A number always
   stands for the same cache. */
static uint32_t number_of(SlabPages *pages, const Cache *cache)
{
	uint32_t *chain = &pages->chains[hash_of(cache->address) & (CHAINS - 1)];
	uint32_t number = *chain;

	while (number != CACHES_MAX && !is_same(&pages->caches[number], cache))
		number = pages->caches[number].next;
	if (number != CACHES_MAX || pages->caches_count == CACHES_MAX)
		return number;
	number = pages->caches_count++;
	pages->caches[number] = *cache;
	pages->caches[number].live = 0;
	pages->caches[number].next = *chain;
	*chain = number;
	return number;
}

/* Reading. */

static uint64_t word_at(const uint8_t *structure, long offset)
{
	return load_u64(structure + offset, false);
}

/* Behind the page in which a name ends, memory may not be readable. */
static bool read_name(const SlabPages *pages, uint64_t address, EventCache *name)
{
	char text[KMT_CACHE_NAME_BYTES_MAX + 1] = "";
	size_t bytes = MIN(sizeof(text) - 1, PAGE_BYTES - address % PAGE_BYTES);

	if (!kernel_memory_read(pages->memory, address, text, bytes) ||
	    (strlen(text) == bytes && !kernel_memory_read(pages->memory, address + bytes,
							  text + bytes, sizeof(text) - 1 - bytes)))
		return false;
	return kmem_cache_named(name, text, (uint32_t)strlen(text));
}

static bool read_cache(const SlabPages *pages, uint64_t address, Cache *cache)
{
	const CacheLayout *layout = &pages->layout;
	uint8_t structure[STRUCT_BYTES_MAX];
	size_t bytes =
		(size_t)MAX(MAX(layout->name + 8, layout->object_size + 4), layout->size + 4);

	*cache = (Cache){ .address = address };
	if (!kernel_memory_read(pages->memory, address, structure, bytes))
		return false;
	cache->object_bytes = load_u32(structure + layout->object_size, false);
	cache->slot_bytes = load_u32(structure + layout->size, false);
	return cache->slot_bytes &&
	       read_name(pages, word_at(structure, layout->name), &cache->name);
}

static uint64_t struct_of(const SlabPages *pages, uint64_t page)
{
	uint64_t number = page - (kernel_memory_direct_map(pages->memory) >> PAGE_SHIFT);

	return kernel_memory_page_structs(pages->memory) +
	       number * (uint64_t)pages->layout.page_bytes;
}

static uint64_t page_of_struct(const SlabPages *pages, uint64_t address)
{
	return (address - kernel_memory_page_structs(pages->memory)) /
		       (uint64_t)pages->layout.page_bytes +
	       (kernel_memory_direct_map(pages->memory) >> PAGE_SHIFT);
}

/* The word is inuse:16, objects:15, frozen:1, and more. */
static uint32_t objects_in(uint64_t counters)
{
	return (uint32_t)(counters >> 16) & 0x7fff;
}

static bool read_slab(const SlabPages *pages, uint64_t page, Slab *slab)
{
	const CacheLayout *layout = &pages->layout;
	uint64_t address = struct_of(pages, page), head;
	uint8_t structure[STRUCT_BYTES_MAX];
	size_t bytes = (size_t)layout->page_bytes;

	if (!kernel_memory_read(pages->memory, address, structure, bytes))
		return false;
	head = word_at(structure, layout->compound_head);
	/* A page that is not the first of its block points to that one. */
	if (head & 1) {
		address = head - 1;
		if (!kernel_memory_read(pages->memory, address, structure, bytes))
			return false;
	}
	*slab = (Slab){ .cache_address = word_at(structure, layout->slab_cache),
			.first_page = page_of_struct(pages, address),
			.objects = objects_in(word_at(structure, layout->counters)) };
	return slab->first_page <= page && slab->objects;
}

static uint64_t pages_count(const Cache *cache, uint32_t objects)
{
	uint64_t bytes = (uint64_t)cache->slot_bytes * objects;

	return MIN((bytes + (1 << PAGE_SHIFT) - 1) >> PAGE_SHIFT, SLAB_PAGES_MAX);
}

/* KFENCE has a page for each object, and reuses it without freeing it, for any cache whose objects
   fit. A page that looks like that may also be a slab with one object, if it is not in the pool of
   KFENCE. */
static bool may_be_kfence(SlabPages *pages, uint64_t page, const Cache *cache, uint32_t objects)
{
	uint64_t pool = 0;

	if (objects != 1 || cache->object_bytes > PAGE_BYTES)
		return false;
	/* Few kernels have such pages, and the search takes some 30 ms. */
	if (!pages->kfence_is_searched)
		pages->kfence_pool = kernel_memory_symbol(pages->memory, "__kfence_pool");
	pages->kfence_is_searched = true;
	return !pages->kfence_pool ||
	       !kernel_memory_read(pages->memory, pages->kfence_pool, &pool, sizeof(pool)) ||
	       (page << PAGE_SHIFT) - pool < KFENCE_POOL_BYTES_MAX;
}

static void enter_slab(SlabPages *pages, uint32_t cache, const Slab *slab, uint64_t time_ns)
{
	uint64_t count = pages_count(&pages->caches[cache], slab->objects);

	g_assert(cache < pages->caches_count);
	for (uint64_t i = 0; i < count; i++)
		if (!slab_pages_lookup(pages, slab->first_page + i, ALIVE))
			slab_pages_enter(pages,
					 &(Place){ slab->first_page + i, ALIVE, time_ns, cache });
}

/* Reads the cache at an address, unless it is known and cannot have changed: one is at its address
   as long as one of its slabs exists. */
static uint32_t cache_at(SlabPages *pages, uint64_t address, bool *was_known)
{
	uint32_t number = pages->chains[hash_of(address) & (CHAINS - 1)];
	Cache cache;

	while (number != CACHES_MAX &&
	       (pages->caches[number].address != address || !pages->caches[number].live))
		number = pages->caches[number].next;
	*was_known = number != CACHES_MAX;
	if (*was_known)
		return number;
	return read_cache(pages, address, &cache) ? number_of(pages, &cache) : CACHES_MAX;
}

/* Returns the cache of a page that is not known yet; CACHES_MAX: unknown. */
static uint32_t slab_pages_learn(SlabPages *pages, uint64_t page, uint64_t time_ns)
{
	for (int i = 0; i < TRIES; i++) {
		bool was_known = false;
		uint32_t cache = CACHES_MAX;
		const Place *ended;
		Slab slab;

		if (read_slab(pages, page, &slab))
			cache = cache_at(pages, slab.cache_address, &was_known);
		/* What was read is of the object's slab if that has not ended up to here. */
		pages->ends.read_ends(pages->ends.user_data);
		ended = slab_pages_lookup(pages, page, time_ns);
		if (ended)
			return ended->cache;
		if (cache == CACHES_MAX || time_ns <= pages->uncertain_ns ||
		    may_be_kfence(pages, page, &pages->caches[cache], slab.objects) ||
		    page - slab.first_page >= pages_count(&pages->caches[cache], slab.objects))
			return CACHES_MAX;
		/* Its last known slab has just ended: it may be another cache by now. */
		if (was_known && !pages->caches[cache].live)
			continue;
		pages->slabs_read++;
		enter_slab(pages, cache, &slab, time_ns);
		return cache;
	}
	return CACHES_MAX;
}

/* Reads the page of a place again that is alive: finds slabs that ended unnoticed. */
static void slab_pages_check(SlabPages *pages, Place *place, uint64_t time_ns)
{
	uint64_t page = place->page;
	Slab slab;

	g_assert(place->cache < pages->caches_count);
	place->read_ns = time_ns;
	if (!read_slab(pages, page, &slab))
		slab.cache_address = 0;
	if (pages->caches[place->cache].address == slab.cache_address)
		return;
	/* Its end may have been recorded meanwhile. Reading the ends costs more than the page. */
	pages->ends.read_ends(pages->ends.user_data);
	if (slab_pages_lookup(pages, page, ALIVE))
		slab_pages_contradict(pages,
				      "a page changed its cache, and its slab had not ended");
}

/* Returns the number of the cache of an object; CACHES_MAX: unknown. */
static uint32_t cache_of(SlabPages *pages, uint64_t page, uint64_t time_ns)
{
	Place *place = slab_pages_lookup(pages, page, time_ns);
	uint32_t cache;

	if (!place)
		return slab_pages_learn(pages, page, time_ns);
	cache = place->cache;
	if (place->until_ns == ALIVE && time_ns > place->read_ns + CHECK_NS)
		slab_pages_check(pages, place, time_ns);
	return cache;
}

const EventCache *slab_pages_find(SlabPages *pages, const SlabObject *object)
{
	uint64_t page = object->pointer >> PAGE_SHIFT;
	const Cache *cache;
	uint32_t number;

	if (!object->pointer || pages->contradiction)
		return NULL;
	number = object->time_ns > pages->uncertain_ns ? cache_of(pages, page, object->time_ns)
						       : CACHES_MAX;
	/* The ends that were read meanwhile may be incomplete. */
	if (number == CACHES_MAX || object->time_ns <= pages->uncertain_ns) {
		pages->unknown += object->time_ns <= pages->uncertain_ns;
		return NULL;
	}
	cache = &pages->caches[number];
	if (cache->object_bytes == object->bytes_requested &&
	    cache->slot_bytes == object->bytes_allocated)
		return &cache->name;
	slab_pages_contradict(pages, "an event has other sizes than the cache of its page");
	return NULL;
}

/* The ends. */

static void end_page(SlabPages *pages, uint64_t page, uint32_t cache, uint64_t time_ns)
{
	Place *alive = slab_pages_lookup(pages, page, ALIVE);
	bool is_other = false;

	if (alive) {
		is_other = alive->cache != cache;
		slab_pages_clear(pages, alive);
	}
	slab_pages_enter(pages, &(Place){ page, time_ns, 0, cache });
	if (is_other)
		slab_pages_contradict(pages,
				      "a slab ended with another cache than that of its page");
}

void slab_pages_freed(SlabPages *pages, const SlabFree *end)
{
	const Cache cache = { .address = end->cache_address,
			      .object_bytes = end->object_bytes,
			      .slot_bytes = end->slot_bytes,
			      .name = end->name };
	uint64_t first = page_of_struct(pages, end->slab);
	uint64_t count = pages_count(&cache, objects_in(end->counters));
	uint32_t number = number_of(pages, &cache);

	if (number == CACHES_MAX || !count) {
		slab_pages_forget(pages, end->time_ns);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		end_page(pages, first + i, number, end->time_ns);
}

void slab_pages_forget(SlabPages *pages, uint64_t until_ns)
{
	for (unsigned i = 0; i < SETS; i++)
		for (unsigned j = 0; j < WAYS; j++)
			if (pages->places[i][j].until_ns == ALIVE)
				slab_pages_clear(pages, &pages->places[i][j]);
	pages->uncertain_ns = MAX(pages->uncertain_ns, until_ns);
}

void slab_pages_settle(SlabPages *pages, uint64_t until_ns)
{
	pages->settled_ns = MAX(pages->settled_ns, until_ns);
}

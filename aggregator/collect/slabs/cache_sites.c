/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which cache a call site allocates from: two hash tables of fixed size (call sites, caches), and
 * for each CPU the calls that are under way. An event after the entry of its call gets the exact
 * cache; one without it gets the cache of its call site, if that has had one only. perf_names.c
 * enters calls and asks.
 */
#include "collect/slabs/cache_sites.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

/* Powers of two; tables are filled up to half. A kernel has some 200 caches, 1,500 call sites. */
enum { SITE_SLOTS = 8192, CACHE_SLOTS = 2048, CALL_SLOTS = 256 };

/* Special values of a cache number. */
enum { CACHE_NONE = 0xffff, CACHE_SEVERAL = 0xfffe };

typedef struct {
	uint64_t call_site; /* 0: a free slot */
	uint16_t cache;
} Site;

struct CacheSites {
	Site sites[SITE_SLOTS];
	EventCache caches[CACHE_SLOTS]; /* name_bytes 0: a free slot */
	unsigned sites_used, caches_used;
};

typedef struct {
	CacheCall call;
	bool is_under_way;
	uint16_t cache;
} Pending;

struct CacheCalls {
	Pending pending[CALL_SLOTS];
};

CacheSites *cache_sites_new(void)
{
	return g_new0(CacheSites, 1);
}

void cache_sites_free(CacheSites *sites)
{
	g_free(sites);
}

CacheCalls *cache_calls_new(void)
{
	return g_new0(CacheCalls, 1);
}

void cache_calls_free(CacheCalls *calls)
{
	g_free(calls);
}

void cache_calls_forget(CacheCalls *calls)
{
	memset(calls, 0, sizeof(*calls));
}

static uint32_t hash_of(uint64_t number)
{
	return (uint32_t)(number * 0x9e3779b97f4a7c15ULL >> 32);
}

/* Returns the slot of a call site, or a free slot for it; NULL: no room. */
static Site *site_of(CacheSites *sites, uint64_t call_site)
{
	uint32_t at = hash_of(call_site) & (SITE_SLOTS - 1);

	while (sites->sites[at].call_site && sites->sites[at].call_site != call_site)
		at = (at + 1) & (SITE_SLOTS - 1);
	if (!sites->sites[at].call_site && sites->sites_used >= SITE_SLOTS / 2)
		return NULL;
	return &sites->sites[at];
}

static bool is_named(const EventCache *slot, const EventCache *cache)
{
	return slot->name_bytes == cache->name_bytes &&
	       !memcmp(slot->name, cache->name, cache->name_bytes);
}

/* Returns the number of a cache, adding it if it is new. */
static uint16_t number_of(CacheSites *sites, const EventCache *cache)
{
	uint32_t at = (uint32_t)XXH3_64bits(cache->name, cache->name_bytes) & (CACHE_SLOTS - 1);

	while (sites->caches[at].name_bytes && !is_named(&sites->caches[at], cache))
		at = (at + 1) & (CACHE_SLOTS - 1);
	if (sites->caches[at].name_bytes)
		return (uint16_t)at;
	if (sites->caches_used >= CACHE_SLOTS / 2)
		return CACHE_NONE;
	sites->caches_used++;
	sites->caches[at] = *cache;
	return (uint16_t)at;
}

static void cache_sites_learn(CacheSites *sites, uint64_t call_site, uint16_t cache)
{
	Site *site = call_site ? site_of(sites, call_site) : NULL;

	if (!site)
		return;
	if (!site->call_site) {
		sites->sites_used++;
		*site = (Site){ call_site, cache };
	} else if (site->cache != cache) {
		site->cache = CACHE_SEVERAL;
	}
}

static Pending *pending_of(CacheCalls *calls, const CacheCall *call)
{
	uint64_t mixed = call->call_site ^ (uint64_t)call->tid << 32 ^ call->context;

	return &calls->pending[hash_of(mixed) & (CALL_SLOTS - 1)];
}

void cache_sites_enter(CacheSites *sites, CacheCalls *calls, const CacheCall *call,
		       const EventCache *cache)
{
	uint16_t number = cache ? number_of(sites, cache) : CACHE_NONE;

	cache_sites_learn(sites, call->call_site, number);
	*pending_of(calls, call) = (Pending){ *call, true, number };
}

static bool is_same_call(const CacheCall *left, const CacheCall *right)
{
	return left->call_site == right->call_site && left->tid == right->tid &&
	       left->context == right->context;
}

/* Removes the call from the open ones. Returns whether it was there. */
static bool take_pending(CacheCalls *calls, const CacheCall *call, uint16_t *cache)
{
	Pending *pending = pending_of(calls, call);

	if (!pending->is_under_way || !is_same_call(&pending->call, call))
		return false;
	pending->is_under_way = false;
	*cache = pending->cache;
	return true;
}

const EventCache *cache_sites_leave(CacheSites *sites, CacheCalls *calls, const CacheCall *call)
{
	const Site *site;
	uint16_t cache;

	if (!calls || !take_pending(calls, call, &cache)) {
		site = site_of(sites, call->call_site);
		cache = site && site->call_site ? site->cache : CACHE_NONE;
	}
	return cache < CACHE_SLOTS ? &sites->caches[cache] : NULL;
}

const EventCache *cache_sites_take(CacheSites *sites, CacheCalls *calls, const CacheCall *call)
{
	uint16_t cache;

	return take_pending(calls, call, &cache) && cache < CACHE_SLOTS ? &sites->caches[cache]
									: NULL;
}

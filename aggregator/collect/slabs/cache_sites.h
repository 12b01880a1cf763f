/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_writer.h"

#include <glib.h>
#include <stdint.h>

/*
 * CacheSites maps call sites to slab caches, for kernels whose events lack the cache while a probe
 * at the allocator's entry has it. Its memory is bounded from the start: without room, a cache
 * stays unknown.
 */
typedef struct CacheSites CacheSites;

/* One CPU's allocator calls whose event has not arrived yet. The oldest ones are dropped. */
typedef struct CacheCalls CacheCalls;

/* A call of the allocator. Two equal calls never overlap on a CPU. */
typedef struct {
	uint64_t call_site; /* return address */
	uint32_t tid;
	uint8_t context; /* enum KmtContext */
} CacheCall;

/* Returns a new one; free it with cache_sites_free(). */
CacheSites *cache_sites_new(void);
void cache_sites_free(CacheSites *sites);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheSites, cache_sites_free)

/* Returns a new one; free it with cache_calls_free(). */
CacheCalls *cache_calls_new(void);
void cache_calls_free(CacheCalls *calls);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheCalls, cache_calls_free)

/* Enters the start of a call for an object of this cache; NULL: the cache could not be read. */
void cache_sites_enter(CacheSites *sites, CacheCalls *calls, const CacheCall *call,
		       const EventCache *cache);

/* Returns the cache of a call that led to an event: the cache of the call itself, or else the only
   cache of its call site; NULL: unknown. calls NULL: not every call is recorded, so no call can be
   matched to this event. The cache lives as long as the sites. */
const EventCache *cache_sites_leave(CacheSites *sites, CacheCalls *calls, const CacheCall *call);

/* Returns the cache of the call itself, and removes it; NULL: not recorded. */
const EventCache *cache_sites_take(CacheSites *sites, CacheCalls *calls, const CacheCall *call);

/* Drops all open calls. Call it when records of calls may have been lost. */
void cache_calls_forget(CacheCalls *calls);

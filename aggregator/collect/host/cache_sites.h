/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_writer.h"

#include <glib.h>
#include <stdint.h>

/*
 * CacheSites learns which slab cache each call site allocates from, where the kernel's events do
 * not have the cache but a probe at the allocator's entry does. Its memory is bounded from the
 * start: what finds no room stays unknown.
 */
typedef struct CacheSites CacheSites;

/* One CPU's calls of the allocator whose event has not come yet; the oldest are forgotten. */
typedef struct CacheCalls CacheCalls;

/* A call of the allocator. Equal ones on a CPU are never under way at once. */
typedef struct {
	uint64_t call_site; /* where it returns to */
	uint32_t tid;
	uint8_t context; /* enum KmtContext */
} CacheCall;

CacheSites *cache_sites_new(void);
void cache_sites_free(CacheSites *sites);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheSites, cache_sites_free)

CacheCalls *cache_calls_new(void);
void cache_calls_free(CacheCalls *calls);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheCalls, cache_calls_free)

/* A call began, for an object of this cache; NULL: of one that could not be read. */
void cache_sites_enter(CacheSites *sites, CacheCalls *calls, const CacheCall *call,
		       const EventCache *cache);

/* Returns the cache of a call that led to an event: that of the call itself, else that of its call
   site if there is only one; NULL: not known. calls NULL: not every call is recorded, so none can
   be matched to this event. The cache lives as long as the sites. */
const EventCache *cache_sites_leave(CacheSites *sites, CacheCalls *calls, const CacheCall *call);

/* Records of calls that began may have been lost. */
void cache_calls_forget(CacheCalls *calls);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tracefs/kprobe_group.h"
#include "record/event_writer.h"

#include <glib.h>
#include <stdbool.h>
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

/*
 * kprobes at the entries of the slab allocator. They record the name of the cache and the return
 * address of the call, for kernels whose tracepoint lacks the cache.
 */
typedef struct CacheProbes CacheProbes;

/* Returns what a probe records, in the syntax of kprobe_events; the caller frees it. name_offset:
   of the name in struct kmem_cache, in bytes. */
char *cache_probe_arguments(const KprobeRegisters *registers, unsigned name_offset);

/* Defines the probes on this host, in the group. Returns NULL with error set, in words that follow
   "names of caches are not known: ". */
CacheProbes *cache_probes_new(KprobeGroup *group, GError **error);

/* A host, possibly another one than this. Everything is borrowed. */
typedef struct {
	const char *root;        /* folder of /sys and debuginfo; "": this host's */
	const char *release;     /* of its kernel */
	const char *machine;     /* of its kernel, as in uname() */
	const char *kmem_folder; /* its tracefs folder events/kmem, including the root */
} CacheProbeHost;

/* Returns why the probes cannot be defined there (words as above); NULL: no obstacle found. Defines
   nothing. */
const char *cache_probes_problem(const CacheProbeHost *host);

/* The probes stay in the group. */
void cache_probes_free(CacheProbes *probes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheProbes, cache_probes_free)

/* Returns the tracepoint numbers of the probes (element-type guint16), owned by the probes. */
const GArray *cache_probes_ids(const CacheProbes *probes);

/* A call recorded by a probe. */
typedef struct {
	CacheCall call; /* without its thread, which the record does not contain */
	bool has_cache;
	EventCache cache;
} CacheProbeCall;

/* Reads a raw record. Returns false if it is not of a probe, or damaged. */
bool cache_probes_read(const CacheProbes *probes, const uint8_t *raw, uint32_t raw_bytes,
		       CacheProbeCall *call);

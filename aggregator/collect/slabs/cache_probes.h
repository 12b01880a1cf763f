/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/slabs/cache_sites.h"
#include "collect/tracefs/kprobe_group.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/cache_sites.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * CacheProbes are kprobes at the entries of the allocator of slab caches, which record the name of
 * the cache and the return address of the call: for kernels whose tracepoint lacks the cache.
 * They are defined in tracefs (kprobe_events), as only there a probe can read memory, in a group
 * that is named after our pid. They do nothing until somebody opens them as perf events.
 */
typedef struct CacheProbes CacheProbes;

/* The group of a process's probes: "kmalloc_top_" and its pid. */
enum { CACHE_PROBES_GROUP_BYTES = 64 };

/* How the arguments of a function are reached at its entry. */
typedef struct {
	const char *machine;        /* as uname() says it */
	const char *first_argument; /* a register, as tracefs names it */
	const char *return_address; /* what has it */
} CacheProbeRegisters;

/* Returns those of a machine, or NULL. */
const CacheProbeRegisters *cache_probe_registers(const char *machine);

/* Appends the line that defines the probe of a function, as kprobe_events takes it. name_offset: of
   the name in struct kmem_cache, in bytes. */
void cache_probe_append(GString *out, const CacheProbeRegisters *registers, const char *group,
			const char *function, unsigned name_offset);

/*
 * Defines the probes on this host and registers them with the watchdog. kmem_folder_fd is the
 * tracefs folder events/kmem, borrowed until they are freed. Returns NULL with error set, in words
 * that follow "names of caches are not known: ".
 */
CacheProbes *cache_probes_new(int kmem_folder_fd, GError **error);

/* A host that may be another one than ours. Everything is borrowed. */
typedef struct {
	const char *root;        /* /sys and debuginfo lie below; "": this host's */
	const char *release;     /* of its kernel */
	const char *machine;     /* likewise, as uname() says it */
	const char *kmem_folder; /* its tracefs folder events/kmem, with the root */
} CacheProbeHost;

/* Returns why they cannot be defined there, in the same words, NULL: nothing is seen that forbids
   it. Nothing is tried. */
const char *cache_probes_problem(const CacheProbeHost *host);

/* Removes them: after their perf events were closed. */
void cache_probes_free(CacheProbes *probes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CacheProbes, cache_probes_free)

/* Returns the tracepoint numbers of the probes (element-type guint16), which live as long. */
const GArray *cache_probes_ids(const CacheProbes *probes);

/* A call that a probe recorded. */
typedef struct {
	CacheCall call; /* without its thread, which the record does not have */
	bool has_cache;
	EventCache cache;
} CacheProbeCall;

/* Reads a raw record. Returns false when it is of no probe, or damaged. */
bool cache_probes_read(const CacheProbes *probes, const uint8_t *raw, uint32_t raw_bytes,
		       CacheProbeCall *call);

/* Removes the probes of processes that are no more. kmem_folder_fd as above; /proc lies below root
   ("": this host's). */
void cache_probes_clean(int kmem_folder_fd, const char *root);

/* Removes a group's probes, of which a process may just be closing the events. Allocates nothing.
 */
void cache_probes_remove_group(int kmem_folder_fd, const char *group);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/host/cache_sites.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * kprobes at the entries of the slab allocator. They record the name of the cache and the return
 * address of the call, for kernels whose tracepoint lacks the cache. They are defined in tracefs
 * (kprobe_events), because only there a probe can read memory, in a group named after our pid. They
 * do nothing until they are opened as perf events.
 */
typedef struct CacheProbes CacheProbes;

/* The group of a process's probes is "kmalloc_top_" and its pid. */
enum { CACHE_PROBES_GROUP_BYTES = 64 };

/* Where the arguments of a function are at its entry. */
typedef struct {
	const char *machine;        /* as in uname() */
	const char *first_argument; /* a register name of tracefs */
	const char *return_address; /* in tracefs syntax */
} CacheProbeRegisters;

/* Returns the registers of a machine, or NULL. */
const CacheProbeRegisters *cache_probe_registers(const char *machine);

/* Appends the line for kprobe_events that defines the probe of a function. name_offset: of the name
   in struct kmem_cache, in bytes. */
void cache_probe_append(GString *out, const CacheProbeRegisters *registers, const char *group,
			const char *function, unsigned name_offset);

/*
 * Defines the probes on this host and registers them with the watchdog. kmem_folder_fd is the
 * tracefs folder events/kmem, borrowed until cache_probes_free(). Returns NULL with error set, in
 * words that follow "names of caches are not known: ".
 */
CacheProbes *cache_probes_new(int kmem_folder_fd, GError **error);

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

/* Removes the probes. Close their perf events first. */
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

/* Removes the probes of processes that have ended. kmem_folder_fd as above; /proc lies below root
   ("": this host's). */
void cache_probes_clean(int kmem_folder_fd, const char *root);

/* Removes a group's probes, even while a process is closing their events. Allocates nothing. */
void cache_probes_remove_group(int kmem_folder_fd, const char *group);

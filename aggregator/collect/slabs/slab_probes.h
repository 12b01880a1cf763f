/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/slabs/slab_pages.h"
#include "collect/tracefs/kmem_points.h"
#include "collect/tracefs/kprobe_group.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * kprobes at functions that free or allocate objects of slab caches without a tracepoint. Without
 * them, objects that were freed look held. Only functions that the kernel has are probed.
 */

/*
 * Defines the probes on this host, in the group, and appends their points. /proc, /sys and
 * debuginfo lie below root ("": this host's). Returns the functions that free objects and could not
 * be probed, with the cause, "kvfree_call_rcu: CAUSE"; NULL: none. The caller frees the text.
 */
char *object_probes_add(const char *root, GPtrArray *points, KprobeGroup *group);

/* Returns the functions that a run would probe on a host, "kvfree_call_rcu, kmem_cache_free_bulk";
   NULL: none. /proc lies below root. The caller frees the text. */
char *object_probes_there(const char *root);

/* Returns the kernel's filter for one of the points; NULL: none. It rejects what kvfree_rcu() frees
   in bulk, without a cache: these objects were already recorded by kvfree_call_rcu(). The caller
   frees it. */
char *object_probes_filter(const GPtrArray *points, const KmemPoint *point);

/*
 * Checks whether all hits of a probe have been read as records. Perf drops a record, and counts it
 * nowhere, if its recursion context is in use (perf_trace_buf_alloc() in
 * kernel/trace/trace_event_perf.c), and does not count at all what hits a throttled event. The hits
 * in kprobe_profile include both.
 *
 * Some hits never become records: those before the events were enabled, and lost ones. Their number
 * is the smallest difference found between the hits and the records up to the same time. A record
 * appears some microseconds after its hit, so a larger difference is only a loss if it stays.
 *
 * For each check, call the functions in this order: slab_hits_begin(); then read the kernel's
 * counts; then read the records, with slab_hits_read() for each; slab_hits_end(). So the records
 * that are compared cannot be more than the hits.
 */
typedef struct {
	uint64_t began_ns;    /* of the check */
	uint64_t read;        /* records up to then */
	uint64_t read_later;  /* records after that */
	uint64_t never_read;  /* the smallest difference */
	uint64_t missed;      /* as in KprobeCounts */
	unsigned checks_left; /* until the difference is known */
} SlabHits;

typedef enum {
	SLAB_HITS_READ,    /* all */
	SLAB_HITS_PENDING, /* not all yet: check again */
	SLAB_HITS_MISSED,  /* the kernel missed some */
	SLAB_HITS_ANEW,    /* all since then; before it, some may be lost */
} SlabHitsState;

/* Call it at the start, and after a loss: the next checks find the difference anew. */
void slab_hits_reset(SlabHits *hits);

/* A check: begin it before the kernel's counts are read, note each record that is read, and end it
   with the counts. Times are monotonic. */
void slab_hits_begin(SlabHits *hits, uint64_t now_ns);
void slab_hits_read(SlabHits *hits, uint64_t record_ns);
SlabHitsState slab_hits_end(SlabHits *hits, const KprobeCounts *counts);

/* A kprobe at the function that returns the pages of a slab to the page allocator, for
   slab_pages_freed(). It is called once for each slab, not for each object. */
typedef struct SlabProbe SlabProbe;

/* Returns why this kernel has no such probe, from /proc/kallsyms below root ("": this host's) and
   its machine as in uname(); NULL: no obstacle found. Defines nothing. */
const char *slab_probe_problem(const char *root, const char *machine);

/* Returns what the probe records, in the syntax of kprobe_events; the caller frees it. */
char *slab_probe_arguments(const KprobeRegisters *registers, const CacheLayout *layout);

/* Defines the probe on this host, in the group. Returns NULL with error set, in words that follow a
   colon. */
SlabProbe *slab_probe_new(KprobeGroup *group, const CacheLayout *layout, GError **error);

/* Takes the layout of the probe's records; takes ownership of it. Returns NULL if a field is
   missing. */
SlabProbe *slab_probe_of(TracepointFormat *format);

/* The probe stays in the group. */
void slab_probe_free(SlabProbe *probe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(SlabProbe, slab_probe_free)

/* Returns its tracepoint number. */
uint16_t slab_probe_id(const SlabProbe *probe);

/* Reads a raw record, except the time. Returns false if it is damaged, or the name could not be
   read. */
bool slab_probe_read(const SlabProbe *probe, const uint8_t *raw, uint32_t raw_bytes, SlabFree *end);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tracefs/kprobe_group.h"
#include "collect/slabs/slab_pages.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

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

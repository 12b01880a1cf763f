/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tracefs/kmem_points.h"
#include "collect/tracefs/kprobe_group.h"

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_reader.h"

#include <glib.h>

/*
 * CgroupPaths finds the paths of this host's cgroups for the tasks of a stream, and adds them to
 * the stream.
 *
 * A cgroup that is removed before the first look only has its id. The same holds for all cgroups if
 * no hierarchy is mounted.
 */
typedef struct CgroupPaths CgroupPaths;

/* /proc and the mounted hierarchies lie below root ("": this host's). */
CgroupPaths *cgroup_paths_new(const char *root);
void cgroup_paths_free(CgroupPaths *paths);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupPaths, cgroup_paths_free)

/* Collects the cgroups of a batch's tasks; an EventSink of a CgroupPaths. */
bool cgroup_paths_take(const Events *events, void *user_data);

/* Looks for the cgroups of tasks that are new since the last call, and appends a batch with the
   paths found. Returns whether it did. */
bool cgroup_paths_update(CgroupPaths *paths, GByteArray *out);

/* The last look. It also walks the hierarchies if there is no other way. */
bool cgroup_paths_finish(CgroupPaths *paths, GByteArray *out);

/*
 * Appends a reading (enum KmtReading) of the kernel memory of all cgroups, and of how many were
 * removed but not freed (KMT_BATCH_CGROUP_MEMORY); nothing if no hierarchy is mounted. Begins with
 * the outermost, and reads no more when that much time has passed; the reading says how many it
 * left out.
 */
void cgroup_memory_append_reading(GByteArray *out, const char *root, uint32_t reading,
				  uint64_t time_max_ns);

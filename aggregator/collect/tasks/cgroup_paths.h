/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_reader.h"

#include <glib.h>

/*
 * CgroupPaths finds the paths of the cgroups of this host that the tasks of a stream are in, so
 * that the stream has them.
 *
 * A cgroup that is gone before anybody looks keeps its id alone, and so do all where no hierarchy
 * is mounted.
 */
typedef struct CgroupPaths CgroupPaths;

/* /proc and the mounted hierarchies lie below root ("": this host's). */
CgroupPaths *cgroup_paths_new(const char *root);
void cgroup_paths_free(CgroupPaths *paths);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupPaths, cgroup_paths_free)

/* Takes note of the tasks of a batch; an EventSink of a CgroupPaths. */
bool cgroup_paths_take(const Events *events, void *paths);

/* Looks for the cgroups of the tasks that are new since the last call, and appends a batch with
   those that it found. Returns whether it did. */
bool cgroup_paths_update(CgroupPaths *paths, GByteArray *out);

/* The last look, which also walks the hierarchies where there is no other way. */
bool cgroup_paths_finish(CgroupPaths *paths, GByteArray *out);

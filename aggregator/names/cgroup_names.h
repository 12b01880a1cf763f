/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/run_text.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* CgroupNames contains the paths of the cgroups in a stream. */
typedef struct CgroupNames CgroupNames;

/* text: NULL: none are known yet. */
CgroupNames *cgroup_names_new(const RunText *text);
void cgroup_names_free(CgroupNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupNames, cgroup_names_free)

/* Returns the path of a cgroup, "/system.slice/sshd.service", as recorded and not yet escaped; NULL
   if the stream lacks it. It lives as long as names. */
const char *cgroup_names_path(const CgroupNames *names, uint64_t cgroup_id);

/* Adds the path of a cgroup of another host. Returns an id for it, the same for equal paths. */
uint64_t cgroup_names_add(CgroupNames *names, const char *path);

/* Returns the memory in use, in bytes, about. */
size_t cgroup_names_memory(const CgroupNames *names);

/*
 * Appends the usual name of the cgroup with this path, escaped: its container, as engine and first
 * 12 digits of the id ("docker:1a2b3c4d5e6f"), else the systemd unit ("sshd.service"), else the
 * path. whole: always the path.
 */
void cgroup_label_append(GString *out, const char *path, bool whole);

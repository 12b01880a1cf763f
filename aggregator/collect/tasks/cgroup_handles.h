/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * CgroupHandles opens the cgroups of a mounted hierarchy by their ids: the id is all that the file
 * handle of a cgroup's folder consists of.
 */
typedef struct CgroupHandles CgroupHandles;

/* Returns NULL where the kernel gives no such handles, or this process may not use them. */
CgroupHandles *cgroup_handles_new(const char *folder);
void cgroup_handles_free(CgroupHandles *handles);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(CgroupHandles, cgroup_handles_free)

/* Returns the path of a cgroup below the mounted folder, "" for that one itself; NULL where there
   is none of that id, or no more, or not below it. The caller frees it. */
char *cgroup_handles_path(const CgroupHandles *handles, uint64_t id);

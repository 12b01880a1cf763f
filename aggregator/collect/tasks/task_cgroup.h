/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * TaskCgroups finds the cgroup of a process, with the same id as the emitter in the kernel: that of
 * the v2 cgroup if the process is in one, else that of its cgroup of the memory controller.
 */
typedef struct TaskCgroups TaskCgroups;

/* The id of the topmost cgroup of a hierarchy. */
enum { TASK_CGROUP_ROOT_ID = 1 };

/* /proc and the mounted hierarchies lie below root ("": this host's). */
TaskCgroups *task_cgroups_new(const char *root);
void task_cgroups_free(TaskCgroups *cgroups);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskCgroups, task_cgroups_free)

/* Reads where a process is now. Returns 0 when that is not known. */
uint64_t task_cgroups_of(const TaskCgroups *cgroups, uint32_t tgid);

/* Returns the id for what is in no cgroup of its own, as the idle tasks are. */
uint64_t task_cgroups_outermost(const TaskCgroups *cgroups);

/* Whether the id that a perf sample carries, if not 0, is the one asked for here: not so for tasks
   in the v2 root where the memory controller has a hierarchy of its own. */
bool task_cgroups_agree(const TaskCgroups *cgroups, uint64_t sample_id);

/* Whether PERF_SAMPLE_CGROUP gives ids of the v2 hierarchy: where perf_event has a hierarchy of its
   own, the kernel gives that one's. */
bool task_cgroup_sample_is_usable(const char *root);

/* Returns the path, below the root of its hierarchy, of the cgroup that a process is in now, where
   its id is this one. NULL where it is not; the caller frees it. */
char *task_cgroups_path_of(const TaskCgroups *cgroups, uint32_t tgid, uint64_t id);

/* The hierarchies that ids are of. */
typedef enum { TASK_CGROUP_V2, TASK_CGROUP_MEMORY, TASK_CGROUP_HIERARCHIES } TaskCgroupHierarchy;

/* Where a hierarchy is mounted; both are borrowed, and NULL where it is not. */
typedef struct {
	const char *folder;
	const char *top; /* the path of the cgroup that is seen there, "/" mostly */
} TaskCgroupMount;

TaskCgroupMount task_cgroups_mount(const TaskCgroups *cgroups, TaskCgroupHierarchy hierarchy);

/* Returns the id of the cgroup whose folder this is, 0: there is none. */
uint64_t task_cgroup_folder_id(const char *folder);

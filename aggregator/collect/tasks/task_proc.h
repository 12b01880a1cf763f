/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* TaskProc reads the kernel's facts about tasks from /proc. A task that has ended is not an error:
   the functions return false for it. */
typedef struct {
	int folder; /* /proc; -1: unavailable */
	uint64_t ns_per_tick;
	uint64_t asleep_ns; /* difference between the time since boot and CLOCK_MONOTONIC */
} TaskProc;

typedef struct {
	uint64_t start_time_ns; /* CLOCK_MONOTONIC, rounded to a tick, usually 10 ms; never 0 */
	uint32_t parent_tgid;
	uint32_t threads;
	bool is_over;   /* it has ended, but its parent has not waited for it yet */
	bool is_worker; /* serves a work queue: /proc appends the current work to its name */
} TaskProcess;

/* /proc lies below root ("": this host's). */
void task_proc_open(TaskProc *proc, const char *root);
void task_proc_close(TaskProc *proc);

/* Reads /proc/TGID/stat. Returns false if there is no such process. */
bool task_proc_process(const TaskProc *proc, uint32_t tgid, TaskProcess *process);

/* Reads the kernel's name of the task, padded with NULs. */
bool task_proc_comm(const TaskProc *proc, uint32_t tid, bool is_worker, char comm[KMT_COMM_BYTES]);

/* Called for each process of the host, or for each thread of a process. */
typedef void (*TaskProcVisit)(uint32_t id, void *user_data);
void task_proc_each_process(const TaskProc *proc, TaskProcVisit visit, void *user_data);
void task_proc_each_thread(const TaskProc *proc, uint32_t tgid, TaskProcVisit visit,
			   void *user_data);

/*
 * TaskCgroups finds the cgroup of a process, with the same id as the emitter in the kernel: the v2
 * cgroup if the process is in one, else the cgroup of the memory controller.
 */
typedef struct TaskCgroups TaskCgroups;

/* The id of the topmost cgroup of a hierarchy. */
enum { TASK_CGROUP_ROOT_ID = 1 };

/* /proc and the mounted hierarchies lie below root ("": this host's). */
TaskCgroups *task_cgroups_new(const char *root);
void task_cgroups_free(TaskCgroups *cgroups);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskCgroups, task_cgroups_free)

/* Reads the current cgroup of a process. Returns 0 if it is unknown. */
uint64_t task_cgroups_of(const TaskCgroups *cgroups, uint32_t tgid);

/* Returns the id for tasks without a cgroup of their own, such as the idle tasks. */
uint64_t task_cgroups_outermost(const TaskCgroups *cgroups);

/* Whether the memory controller has a v1 hierarchy, which no sample shows. */
bool task_cgroups_of_v1(const TaskCgroups *cgroups);

/* Whether a nonzero id from a perf sample is the id used here. It is not for tasks in the v2 root
   if the memory controller has its own hierarchy. */
bool task_cgroups_agree(const TaskCgroups *cgroups, uint64_t sample_id);

/* Whether PERF_SAMPLE_CGROUP gives ids of the v2 hierarchy. If perf_event has its own hierarchy,
   the kernel gives ids of that one. */
bool task_cgroup_sample_is_usable(const char *root);

/* Returns the path of the current cgroup of a process, below the root of its hierarchy, if the
   cgroup has this id; else NULL. The caller frees it. */
char *task_cgroups_path_of(const TaskCgroups *cgroups, uint32_t tgid, uint64_t id);

/* The hierarchies that ids come from. */
typedef enum { TASK_CGROUP_V2, TASK_CGROUP_MEMORY, TASK_CGROUP_HIERARCHIES } TaskCgroupHierarchy;

/* Where a hierarchy is mounted. Both are borrowed; NULL: not mounted. */
typedef struct {
	const char *folder;
	const char *top; /* the path of the cgroup that is mounted there, usually "/" */
} TaskCgroupMount;

/* Returns where a hierarchy is mounted; borrowed. */
TaskCgroupMount task_cgroups_mount(const TaskCgroups *cgroups, TaskCgroupHierarchy hierarchy);

/* Returns the full path of a cgroup from its path below the mounted folder: if "/docker/1a2b" is
   mounted, "/sub" gives "/docker/1a2b/sub". The caller frees it. */
char *task_cgroup_path_below(TaskCgroupMount mount, const char *below);

/* Returns the id of the cgroup with this folder; 0: no such cgroup. */
uint64_t task_cgroup_folder_id(const char *folder);

/*
 * TaskBirths reads the tracepoint task:task_newtask, which has the name of a new task. Since Linux
 * 6.4, no other perf record has it: a kernel thread gets its name before its fork record, and no
 * name record follows.
 */
typedef struct TaskBirths TaskBirths;

/* The kernel's filter: tasks made with CLONE_UNTRACED, which are the kernel's own threads and those
   that it adds to processes. All other tasks inherit the name of their creator. */
#define TASK_BIRTHS_FILTER "clone_flags & 0x800000"

typedef struct {
	uint32_t tid;                  /* in the first pid namespace */
	bool is_thread;                /* a thread of its creator's process; else a new process */
	char comm[KMT_COMM_BYTES + 1]; /* any bytes */
} TaskBirth;

/* Reads the tracepoint's format file, relative to the borrowed folder events/kmem. Returns NULL if
   this kernel has no usable one. */
TaskBirths *task_births_open(int kmem_folder_fd);
void task_births_free(TaskBirths *births);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskBirths, task_births_free)

/* Returns the number of the tracepoint. */
uint16_t task_births_id(const TaskBirths *births);

/* Parses a raw record of raw_bytes. Returns false if it is not of this tracepoint. */
bool task_births_read(const TaskBirths *births, const uint8_t *raw, uint32_t raw_bytes,
		      TaskBirth *birth);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_writer.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * TaskTable knows who a task was when an event happened: from one pass over /proc, which should
 * come after the records have begun, and from the records of what happened since.
 *
 * Records and events may come in any order of their times, except those before a time passed to
 * task_table_settle(). An event that is looked up before a record of an earlier time has come gets
 * what was known by then: so the records of a round should be handed in first.
 *
 * Times are those of the stream. Ids are the kernel's, as /proc shows them. Nothing here fails:
 * what cannot be known is said so in the answer.
 */
typedef struct TaskTable TaskTable;

/* An id that perf could not find: the task is about to vanish. */
#define TASK_ID_UNKNOWN UINT32_MAX

/* The task of an event, as far as the event has it. */
typedef struct {
	uint32_t tgid; /* TASK_ID_UNKNOWN: the one that the tid is known by */
	uint32_t tid;  /* 0: the idle task of the CPU; TASK_ID_UNKNOWN: no name will be found */
	uint32_t cpu;
	uint64_t cgroup_id; /* of PERF_SAMPLE_CGROUP where it is usable, 0: look it up */
	uint64_t time_ns;
} TaskSample;

/* /proc and the cgroups lie below root ("": this host's). */
TaskTable *task_table_new(const char *root);
void task_table_free(TaskTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskTable, task_table_free)

/* Adds all tasks that live now. Those already known stay as they are. */
void task_table_scan(TaskTable *table);

/*
 * Says whose event it is, and returns whether its process is counted. A tid never heard of is read
 * from /proc once; when it is gone, its name is "[exited]". A task without usable ids has tgid 0
 * and no name.
 */
bool task_table_find(TaskTable *table, const TaskSample *sample, EventTask *task);

/* Records. Those of tasks outside of our pid namespace have zeros for ids, and are left out. */

/* A task has that name from now on: by prctl(), or by execve(), which makes any thread its
   process's leader. */
void task_table_comm(TaskTable *table, uint32_t tgid, uint32_t tid, const char *comm,
		     uint64_t time_ns);

/* A task made another, which is a thread of its own process or a new process. */
void task_table_fork(TaskTable *table, uint32_t tgid, uint32_t tid, uint32_t parent_tgid,
		     uint32_t parent_tid, uint64_t time_ns);

/* A task begins to end; it may have some more events. */
void task_table_exit(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns);

/* No event or record before that time will follow: what only those ask for is forgotten. */
void task_table_settle(TaskTable *table, uint64_t time_ns);

/* Counts a process: its threads, and with inherit the processes that it or they make. */
void task_table_count(TaskTable *table, uint32_t tgid);
void task_table_set_inherit(TaskTable *table, bool inherit);
bool task_table_is_counted(const TaskTable *table, uint32_t tgid);

/* Returns how many tasks are known. */
size_t task_table_size(const TaskTable *table);

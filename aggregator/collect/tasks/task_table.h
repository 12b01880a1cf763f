/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_writer.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * TaskTable finds the task of an event at the time of the event. Its sources are one pass over
 * /proc, which should come after the start of the records, and the records.
 *
 * Records and events may come in any order of their times, but not before a time that was passed to
 * task_table_settle(). An event that is looked up before an earlier record arrives gets the facts
 * known so far. So pass the records of a round first.
 *
 * Times are those of the stream. Ids are the kernel's, as in /proc. Nothing here fails: the answer
 * shows what is unknown.
 */
typedef struct TaskTable TaskTable;

/* An id that perf could not find: the task is about to be freed. */
#define TASK_ID_UNKNOWN UINT32_MAX

/* The task of an event, as far as the event identifies it. */
typedef struct {
	uint32_t tgid; /* TASK_ID_UNKNOWN: use the known tgid of the tid */
	uint32_t tid;  /* 0: the idle task of the CPU; TASK_ID_UNKNOWN: the name cannot be found */
	uint32_t cpu;
	uint64_t cgroup_id; /* of PERF_SAMPLE_CGROUP if usable; 0: look it up */
	uint64_t time_ns;
} TaskSample;

/* /proc and the cgroups lie below root ("": this host's). */
TaskTable *task_table_new(const char *root);
void task_table_free(TaskTable *table);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskTable, task_table_free)

/* Adds all living tasks. Known tasks stay unchanged. */
void task_table_scan(TaskTable *table);

/*
 * Finds the task of an event, and returns whether its process is counted. An unknown tid is read
 * from /proc once; if it has ended, its name is "[exited]". A task without usable ids has tgid 0
 * and no name.
 */
bool task_table_find(TaskTable *table, const TaskSample *sample, EventTask *task);

/* Records. Those of tasks outside of our pid namespace have ids of zero and are ignored. */

/* Sets the name of a task from now on, by prctl() or by execve(). execve() makes any thread the
   leader of its process. */
void task_table_comm(TaskTable *table, uint32_t tgid, uint32_t tid, const char *comm,
		     uint64_t time_ns);

/* A task created a thread of its own process, or a new process. */
void task_table_fork(TaskTable *table, uint32_t tgid, uint32_t tid, uint32_t parent_tgid,
		     uint32_t parent_tid, uint64_t time_ns);

/* A task begins to exit; it may still have some events. */
void task_table_exit(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns);

/* No event or record before that time will follow: drops facts that only they need. */
void task_table_settle(TaskTable *table, uint64_t time_ns);

/* Counts a process: its threads and, with inherit, the processes that it or they create. */
void task_table_count(TaskTable *table, uint32_t tgid);
void task_table_set_inherit(TaskTable *table, bool inherit);

/* Whether there were too many processes to read the cgroup of each once a second, where samples do
   not contain it: some may have moved unnoticed. */
bool task_table_has_unread_cgroups(const TaskTable *table);

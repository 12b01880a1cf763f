/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "collect/tasks/task_names.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/* Tasks and their processes as the task table keeps them. Times are those of the stream. */

#define TASK_LIVES UINT64_MAX

typedef struct {
	uint32_t tgid;
	bool is_counted;
	bool is_worker;            /* as in TaskProcess */
	uint8_t cgroup_reads_left; /* so that no process makes us read without end */
	bool cgroup_is_due;
	uint64_t start_time_ns; /* 0: not known */
	uint64_t cgroup_id;     /* 0: not known */
	GQueue threads;         /* (element-type Task), which own it together */
} Process;

/* One life of a tid. */
typedef struct Task {
	uint32_t tid;
	uint32_t parent_tid; /* 0: not known */
	uint64_t born_ns;    /* 0: before all records */
	uint64_t ended_ns;   /* TASK_LIVES: not yet */
	uint64_t forked_ns;  /* when it last had a child, 0: never */
	Process *process;
	TaskNames names;
	struct Task *earlier; /* the life of the tid before this one, owned, or NULL */
	GList in_process;
	bool is_recent; /* settling has to look at it */
} Task;

/* A process without threads; it goes with the last of them. */
Process *process_new(uint32_t tgid);

/* A life of a tid in that process. */
Task *task_new(uint32_t tid, uint64_t born_ns, Process *process, const char *comm);

/* Frees a task and its earlier life, and the processes whose last threads they were. */
void task_free(Task *task);

static inline bool task_is_leader(const Task *task)
{
	return task->tid == task->process->tgid;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/clock.h"
#include "collect/tasks/task_cgroup.h"
#include "collect/tasks/task_proc.h"
#include "collect/tasks/task_table.h"
#include "record/format.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * The inside of a TaskTable, shared by its parts: tasks, their names and processes, then the table.
 * Times are those of the stream.
 */

#define TASK_LIVES UINT64_MAX

/*
 * TaskNames is what a task was called, and from when on. Names may come in any order of their
 * times. A name is raw bytes, filled with NULs.
 */
enum { TASK_NAMES_KEPT = 16 };

typedef struct {
	uint64_t since_ns;
	char comm[KMT_COMM_BYTES];
} TaskName;

typedef struct {
	TaskName newest;
	TaskName *older;      /* newest first, owned; NULL: never had another name */
	unsigned older_count; /* below TASK_NAMES_KEPT */
} TaskNames;

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

/* The name of a task that has none yet. */
void task_names_init(TaskNames *names, const char *comm, uint64_t since_ns);
void task_names_clear(TaskNames *names);

/* Adds a name, or replaces the one of that very time. The oldest one makes room. */
void task_names_set(TaskNames *names, const char *comm, uint64_t since_ns);

/* Adds the names that another task got between two times, both exclusive. */
void task_names_take_between(TaskNames *names, const TaskNames *others, uint64_t after_ns,
			     uint64_t before_ns);

/* Forgets what only events before that time were called by. */
void task_names_settle(TaskNames *names, uint64_t time_ns);

/* Returns the time of the first name after that time, UINT64_MAX: there is none. */
uint64_t task_names_next_ns(const TaskNames *names, uint64_t time_ns);

/* As task_names_at(), for a time before the newest name. */
const char *task_names_look_back(const TaskNames *names, uint64_t time_ns);

/* Returns KMT_COMM_BYTES: the name at that time, or the first one known. Valid until the names
   change. */
static inline const char *task_names_at(const TaskNames *names, uint64_t time_ns)
{
	if (names->newest.since_ns <= time_ns || !names->older_count)
		return names->newest.comm;
	return task_names_look_back(names, time_ns);
}

/* The name in reports of a task that was gone before its name was read. */
#define TASK_EXITED "[exited]"

/* How far the time of a record may be from that in /proc: copying a large process takes a while. */
static const uint64_t start_differs_ns = NS_PER_SECOND;

struct TaskTable {
	TaskProc proc;
	TaskCgroups *cgroups;
	uint64_t idle_cgroup_id;
	GHashTable *tasks; /* (element-type guint Task): the newest life of each tid, owned */
	GArray *recent;    /* (element-type uint32_t): tids that settling has to look at */
	bool inherits_count;
	bool passing_on_is_due; /* children have not what their parents had when they were made */
};

static inline Task *task_lookup(const TaskTable *table, uint32_t tid)
{
	return g_hash_table_lookup(table->tasks, GUINT_TO_POINTER(tid));
}

/* Returns the life of a tid that was in force at a time, given its newest life; NULL: none is
   known. later is the life that followed it, NULL: it is the newest. */
static inline Task *task_life_at(Task *newest, uint64_t time_ns, Task **later)
{
	*later = NULL;
	while (newest && newest->born_ns > time_ns) {
		*later = newest;
		newest = newest->earlier;
	}
	return newest;
}

/* Enters a task under its tid, which must be free or that of its earlier life. */
void task_enter(TaskTable *table, Task *task);
void task_forget(TaskTable *table, Task *task);
void task_note_recent(TaskTable *table, Task *task);

/* Returns the process that is or was known by that id, else what /proc says of it. */
Process *task_process_of(TaskTable *table, uint32_t tgid);

/* Returns the life of a tid that an event or a record of that time means, NULL: it is not kept, or
   has no ids here. One never heard of is read from /proc, or remembered as gone. */
Task *task_at(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns);

/* Returns the id of the cgroup as far as it is known without the kernel's word. */
uint64_t task_cgroup_of(const TaskTable *table, Process *process);

/* Gives the children made since the last settling what their parents had, as is known now. */
void task_pass_on(TaskTable *table);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/clock.h"
#include "collect/tasks/task.h"
#include "collect/tasks/task_cgroup.h"
#include "collect/tasks/task_proc.h"
#include "collect/tasks/task_table.h"

/* The inside of a TaskTable, shared by its parts. */

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
 *known. later is the life that followed it, NULL: it is the newest. */
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

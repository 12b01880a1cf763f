/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Applies the records of perf to a task table: new names, forks, ends. Records of several CPUs come
 * in any order, so a life is inserted where its time belongs, and names are passed on to children
 * again when an earlier one arrives.
 */
#include "collect/tasks/task_state.h"

#include "base/clock.h"

/* After an execve by another thread, which ends all other threads and becomes the leader. */
static void end_others(TaskTable *table, const Task *leader, uint64_t time_ns)
{
	for (GList *item = leader->process->threads.head; item; item = item->next) {
		Task *task = item->data;

		if (task == leader || task->born_ns >= time_ns || task->ended_ns <= time_ns)
			continue;
		task->ended_ns = time_ns;
		task_note_recent(table, task);
	}
}

/* Read the cgroup at the next request, but only a limited number of times. */
static void expect_other_cgroup(Process *process)
{
	process->cgroup_is_due = process->cgroup_reads_left > 0;
}

void task_table_comm(TaskTable *table, uint32_t tgid, uint32_t tid, const char *comm,
		     uint64_t time_ns)
{
	Task *task = task_at(table, tgid, tid, time_ns);

	if (!task)
		return;
	task_names_set(&task->names, comm, time_ns);
	task_note_recent(table, task);
	table->passing_on_is_due |= task->forked_ns > time_ns;
	if (!task_is_leader(task))
		return;
	expect_other_cgroup(task->process);
	if (task->ended_ns > time_ns)
		return;
	task->ended_ns = TASK_LIVES;
	end_others(table, task, time_ns);
}

/* Also stores an unknown task: another CPU may report its start later. */
void task_table_exit(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns)
{
	Task *task = task_at(table, tgid, tid, time_ns);
	uint64_t taken_over_ns = TASK_LIVES;

	if (!task || task->born_ns > time_ns)
		return;
	if (task_is_leader(task))
		taken_over_ns = task_names_next_ns(&task->names, time_ns);
	if (taken_over_ns != TASK_LIVES)
		end_others(table, task, taken_over_ns);
	else
		task->ended_ns = time_ns;
	task_note_recent(table, task);
}

/* Copies what a new process inherits from its parent. */
static void task_records_inherit(TaskTable *table, Process *process, Process *parent)
{
	process->is_counted |= table->inherits_count && parent->is_counted;
	if (process->cgroup_id)
		return;
	process->cgroup_id = task_cgroup_of(table, parent);
	process->cgroup_second_ns = table->settled_ns;
	if (!process->cgroup_id)
		expect_other_cgroup(process);
}

/* Whether the data from /proc is of the process that began at that time, not of an earlier one with
   the same id. */
static bool began_at(const Task *leader, uint64_t time_ns)
{
	uint64_t start_ns = leader->process->start_time_ns;

	if (!task_is_leader(leader) || leader->born_ns || leader->ended_ns <= time_ns)
		return false;
	return !start_ns ||
	       (start_ns < time_ns + start_differs_ns && time_ns < start_ns + start_differs_ns);
}

static Process *process_made(const Task *old, uint32_t tgid, uint64_t time_ns)
{
	Process *process = old && began_at(old, time_ns) ? old->process : NULL;

	/* If a requested pid had no process at that time, a later owner is another process. */
	if (process && process->is_counted && !process->start_time_ns)
		process = NULL;
	if (!process)
		process = process_new(tgid);
	if (!process->start_time_ns)
		process->start_time_ns = time_ns;
	return process;
}

/* Makes a task follow an older life of its tid: either its own start, read before, or another
   task's life. Records of the older life since then belong to the new task, up to the next life. */
static void task_records_succeed(TaskTable *table, Task *task, Task *old, const Task *later)
{
	uint64_t end_ns = later ? later->born_ns : TASK_LIVES;

	task_names_take_between(&task->names, &old->names, task->born_ns, end_ns);
	if (old->ended_ns > task->born_ns)
		task->ended_ns = old->ended_ns;
	task->forked_ns = old->forked_ns;
	table->passing_on_is_due |= task->forked_ns > task->born_ns;
	task->is_recent = old->is_recent;
	old->is_recent = true; /* the tid is; both share it */
	task->earlier = old;
}

/* Inserts a task into the lives of its tid. Records of two CPUs may come in any order, and a tid
   may have several lives before the events of the first one are read. */
static void enter_life(TaskTable *table, Task *task, Task *old, Task *later)
{
	if (old)
		task_records_succeed(table, task, old, later);
	if (later) {
		later->earlier = task;
		task->is_recent = later->is_recent;
	} else {
		task_enter(table, task);
		task_note_recent(table, task);
	}
}

/* Whether the parent creates the kernel's threads, which have names of their own from the start
   since Linux 6.4. */
static bool is_kthreadd(const Task *parent, const char *comm)
{
	enum { KTHREADD = 2 };

	return parent->tid == KTHREADD && g_str_equal(comm, "kthreadd");
}

/* Returns the first name of a child created at that time; NULL: unknown. */
static const char *name_passed_on(const Task *parent, uint64_t time_ns)
{
	const char *comm = parent ? task_names_at(&parent->names, time_ns) : TASK_EXITED;

	return !task_name_is_known(comm) || is_kthreadd(parent, comm) ? NULL : comm;
}

static Task *child_new(const TaskTable *table, uint32_t tid, uint64_t time_ns, Process *process,
		       const Task *parent)
{
	const char *passed_on = name_passed_on(parent, time_ns);
	bool is_kernel = parent && is_kthreadd(parent, task_names_at(&parent->names, time_ns));
	char comm[KMT_COMM_BYTES] = TASK_EXITED;
	Task *task;

	if (!passed_on)
		task_proc_comm(&table->proc, tid, is_kernel, comm);
	task = task_new(tid, time_ns, process, passed_on ? passed_on : comm);
	task->parent_tid = parent ? parent->tid : 0;
	return task;
}

void task_table_fork(TaskTable *table, uint32_t tgid, uint32_t tid, uint32_t parent_tgid,
		     uint32_t parent_tid, uint64_t time_ns)
{
	/* A parent outside of our pid namespace has no id. */
	Task *parent = parent_tid ? task_at(table, parent_tgid, parent_tid, time_ns) : NULL;
	Task *later, *old = task_life_at(task_lookup(table, tid), time_ns, &later);
	bool is_process = tgid != parent_tgid;
	Process *process;

	/* A task outside of our pid namespace has ids of zero. Only a process's first thread leads
	   it. */
	if (!tgid || !tid || (!is_process && tid == tgid) || (old && old->born_ns == time_ns))
		return;
	/* Of a thread: the id of its process may already belong to another process; the time
	   identifies the thread that created the new one. */
	if (is_process)
		process = process_made(old, tgid, time_ns);
	else
		process = parent ? parent->process : task_process_of(table, tgid);
	enter_life(table, child_new(table, tid, time_ns, process, parent), old, later);
	if (!parent)
		return;
	parent->forked_ns = MAX(parent->forked_ns, time_ns);
	if (is_process)
		task_records_inherit(table, process, parent->process);
}

static gint compare_births(gconstpointer left, gconstpointer right)
{
	const Task *a = *(Task *const *)left, *b = *(Task *const *)right;

	return (a->born_ns > b->born_ns) - (a->born_ns < b->born_ns);
}

static void pass_on_to(TaskTable *table, Task *child)
{
	/* Without looking further than the table. */
	Task *later, *newest = task_lookup(table, child->parent_tid);
	const Task *parent = task_life_at(newest, child->born_ns, &later);
	const char *comm = name_passed_on(parent, child->born_ns);

	if (comm)
		task_names_set(&child->names, comm, child->born_ns);
	if (!parent)
		return;
	if (task_is_leader(child))
		task_records_inherit(table, child->process, parent->process);
}

/* Parents come before their children, so that once is enough. */
void task_pass_on(TaskTable *table)
{
	g_autoptr(GPtrArray) children = g_ptr_array_new();

	for (guint i = 0; i < table->recent->len; i++) {
		Task *task = task_lookup(table, g_array_index(table->recent, uint32_t, i));

		for (; task; task = task->earlier)
			if (task->parent_tid)
				g_ptr_array_add(children, task);
	}
	g_ptr_array_sort(children, compare_births);
	for (guint i = 0; i < children->len; i++)
		pass_on_to(table, children->pdata[i]);
	table->passing_on_is_due = false;
}

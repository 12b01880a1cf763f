/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The lives of tids in a task table: finds the task of a tid at a time, and reads what is unknown
 * from /proc. Also decides when the cgroup of a process is read again, with limits for each process
 * and for all in a second.
 */
#include "collect/tasks/task_state.h"

void task_enter(TaskTable *table, Task *task)
{
	table->found = NULL;
	g_hash_table_insert(table->tasks, GUINT_TO_POINTER(task->tid), task);
}

void task_forget(TaskTable *table, Task *task)
{
	table->found = NULL;
	g_hash_table_remove(table->tasks, GUINT_TO_POINTER(task->tid));
	task_free(task);
}

void task_note_recent(TaskTable *table, Task *task)
{
	if (task->is_recent)
		return;
	task->is_recent = true;
	g_array_append_val(table->recent, task->tid);
}

static Process *process_read(const TaskTable *table, uint32_t tgid, const TaskProcess *read)
{
	Process *process = process_new(tgid);
	/* A record may have been lost. Then /proc shows the parent, unless the child was orphaned.
	 */
	const Process *parent = task_process_known(table, read->parent_tgid);

	process->start_time_ns = read->start_time_ns;
	process->is_worker = read->is_worker;
	process->is_counted = table->inherits_count && parent && parent->is_counted;
	process->cgroup_is_due = true;
	return process;
}

static Task *read_thread(TaskTable *table, Process *process, uint32_t tid)
{
	char comm[KMT_COMM_BYTES] = TASK_EXITED;
	Task *task;

	task_proc_comm(&table->proc, tid, process->is_worker, comm);
	task = task_new(tid, 0, process, comm);
	task_enter(table, task);
	return task;
}

/* Adds the leader of a new process. If its id already belongs to another process, the new one
   cannot be found by id. */
static Process *process_entered(TaskTable *table, Process *process)
{
	if (!task_lookup(table, process->tgid))
		read_thread(table, process, process->tgid);
	return process;
}

Process *task_process_of(TaskTable *table, uint32_t tgid)
{
	Process *process = task_process_known(table, tgid);
	TaskProcess read;

	if (process)
		return process;
	process = task_proc_process(&table->proc, tgid, &read) ? process_read(table, tgid, &read)
							       : process_new(tgid);
	return process_entered(table, process);
}

static bool is_of(const Task *task, uint32_t tgid)
{
	return tgid == TASK_ID_UNKNOWN || task->process->tgid == tgid;
}

Task *task_at(TaskTable *table, uint32_t tgid, uint32_t tid, uint64_t time_ns)
{
	Task *later, *task;
	Process *process;

	if (!tgid || !tid)
		return NULL;
	/* Most events are of the same task as the event before. */
	if (!table->found || table->found->tid != tid)
		table->found = task_lookup(table, tid);
	task = task_life_at(table->found, time_ns, &later);
	if (task && is_of(task, tgid))
		return task;
	/* The clocks of CPUs may differ a little. */
	if (later)
		return is_of(later, tgid) ? later : NULL;
	if (tgid == TASK_ID_UNKNOWN || tid == TASK_ID_UNKNOWN)
		return NULL;
	/* The records of its end and of the new task's start were lost. */
	if (task)
		task_forget(table, task);
	process = task_process_of(table, tgid);
	return tid == tgid ? task_lookup(table, tid) : read_thread(table, process, tid);
}

/* Whether all processes together may have one more cgroup read again in this second. */
static bool may_read_again(TaskTable *table)
{
	if (table->settled_ns >= table->second_ns + NS_PER_SECOND) {
		table->second_ns = table->settled_ns;
		table->cgroup_reads = 0;
	}
	if (table->cgroup_reads < TASK_CGROUP_READS_OF_ALL) {
		table->cgroup_reads++;
		return true;
	}
	table->has_unread_cgroups = true;
	return false;
}

uint64_t task_cgroup_of(TaskTable *table, Process *process)
{
	uint64_t id;

	if (table->settled_ns >= process->cgroup_second_ns + NS_PER_SECOND &&
	    (process->cgroup_is_due || may_read_again(table))) {
		process->cgroup_second_ns = table->settled_ns;
		process->cgroup_reads_left = TASK_CGROUP_READS;
		process->cgroup_is_due = true;
	}
	if (!process->cgroup_is_due)
		return process->cgroup_id;
	process->cgroup_is_due = false;
	process->cgroup_reads_left--;
	id = task_cgroups_of(table->cgroups, process->tgid);
	if (id)
		process->cgroup_id = id;
	return process->cgroup_id;
}

void task_follow_cgroups(TaskTable *table)
{
	unsigned read = 0;
	GHashTableIter iter;
	gpointer value;

	if (!table->follows_cgroups || table->settled_ns < table->followed_ns + NS_PER_SECOND)
		return;
	table->followed_ns = table->settled_ns;
	g_hash_table_iter_init(&iter, table->tasks);
	while (read < TASK_CGROUPS_FOLLOWED && g_hash_table_iter_next(&iter, NULL, &value)) {
		const Task *task = value;
		Process *process = task->process;

		if (!task_is_leader(task) || task->ended_ns != TASK_LIVES ||
		    (table->has_counted && !process->is_counted) ||
		    table->settled_ns < process->cgroup_second_ns + NS_PER_SECOND)
			continue;
		task_cgroup_of(table, process);
		read++;
	}
}

/* A known process may have unknown threads. */
typedef struct {
	TaskTable *table;
	Process *process;
} ThreadScan;

static void scan_thread(uint32_t tid, void *user_data)
{
	ThreadScan *scan = user_data;
	char comm[KMT_COMM_BYTES];

	if (task_lookup(scan->table, tid) ||
	    !task_proc_comm(&scan->table->proc, tid, scan->process->is_worker, comm))
		return;
	task_enter(scan->table, task_new(tid, 0, scan->process, comm));
}

static void scan_process(uint32_t tgid, void *user_data)
{
	TaskTable *table = user_data;
	ThreadScan scan = { table, NULL };
	TaskProcess read;

	if (!task_proc_process(&table->proc, tgid, &read))
		return;
	scan.process = task_process_known(table, tgid);
	if (!scan.process)
		scan.process = process_entered(table, process_read(table, tgid, &read));
	/* Read it now: children inherit it, and all may have ended when their records are read. */
	task_cgroup_of(table, scan.process);
	if (read.threads > 1)
		task_proc_each_thread(&table->proc, tgid, scan_thread, &scan);
}

void task_table_scan(TaskTable *table)
{
	task_proc_each_process(&table->proc, scan_process, table);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table itself: made at the start of a run, asked for the task of each sample, and settled when
 * no earlier record can come. It owns all tasks, by tid; a tid has a chain of lives. perf_read.c is
 * its user.
 */
#include "collect/tasks/task_table.h"

#include "base/clock.h"
#include "collect/tasks/task_proc.h"
#include "collect/tasks/task_state.h"

#include <string.h>

/* How long after its exit record a task may still free memory. */
static const uint64_t ending_ns = NS_PER_SECOND;

TaskTable *task_table_new(const char *root)
{
	TaskTable *table = g_new0(TaskTable, 1);

	task_proc_open(&table->proc, root);
	table->cgroups = task_cgroups_new(root);
	table->follows_cgroups =
		task_cgroups_of_v1(table->cgroups) || !task_cgroup_sample_is_usable(root);
	table->idle_cgroup_id = task_cgroups_outermost(table->cgroups);
	table->tasks = g_hash_table_new(NULL, NULL);
	table->recent = g_array_new(FALSE, FALSE, sizeof(uint32_t));
	return table;
}

void task_table_free(TaskTable *table)
{
	GHashTableIter iter;
	gpointer task;

	if (!table)
		return;
	g_hash_table_iter_init(&iter, table->tasks);
	while (g_hash_table_iter_next(&iter, NULL, &task))
		task_free(task);
	g_hash_table_unref(table->tasks);
	g_array_unref(table->recent);
	task_cgroups_free(table->cgroups);
	task_proc_close(&table->proc);
	g_free(table);
}

static bool is_usable_cgroup(const TaskTable *table, uint64_t cgroup_id)
{
	return cgroup_id && task_cgroups_agree(table->cgroups, cgroup_id);
}

/* Writes "swapper/CPU", the kernel's name of an idle task. Cuts digits that no CPU number has. */
static void put_idle_name(char comm[KMT_COMM_BYTES], uint32_t cpu)
{
	static const char prefix[] = "swapper/";
	char *at = mempcpy(comm, prefix, sizeof(prefix) - 1);
	const char *end = comm + KMT_COMM_BYTES - 1;
	uint32_t unit = 1;

	while (cpu / unit >= 10)
		unit *= 10;
	for (; unit && at < end; unit /= 10)
		*at++ = (char)('0' + cpu / unit % 10);
}

static bool fill_idle(const TaskTable *table, const TaskSample *sample, EventTask *task)
{
	bool is_usable = is_usable_cgroup(table, sample->cgroup_id);

	*task = (EventTask){ .cgroup_id = is_usable ? sample->cgroup_id : table->idle_cgroup_id };
	put_idle_name(task->comm, sample->cpu);
	return false;
}

/* For a life that was dropped: the tid belongs to another task now. */
static bool fill_unknown(const TaskSample *sample, EventTask *task)
{
	*task = (EventTask){ 0 };
	if (sample->tgid == TASK_ID_UNKNOWN || sample->tid == TASK_ID_UNKNOWN)
		return false;
	task->tgid = sample->tgid;
	task->tid = sample->tid;
	memcpy(task->comm, TASK_EXITED, sizeof(TASK_EXITED));
	return false;
}

/* Returns the current or former thread-group leader of a process; NULL: dropped. */
static const Task *leader_of(const TaskTable *table, const Process *process)
{
	const Task *leader = task_lookup(table, process->tgid);

	while (leader && leader->process != process)
		leader = leader->earlier;
	return leader && task_is_leader(leader) ? leader : NULL;
}

/* Writes the name of the task's process; zeros if unknown. */
static void put_leader_name(const TaskTable *table, const Task *task, uint64_t time_ns,
			    char name[KMT_COMM_BYTES])
{
	const Task *leader = task_is_leader(task) ? task : leader_of(table, task->process);
	const char *known = leader ? task_names_at(&leader->names, time_ns) : NULL;

	if (known && (leader == task || task_name_is_known(known)))
		memcpy(name, known, KMT_COMM_BYTES);
	else
		memset(name, 0, KMT_COMM_BYTES);
}

bool task_table_find(TaskTable *table, const TaskSample *sample, EventTask *task)
{
	const Task *found;
	Process *process;

	if (!sample->tid)
		return fill_idle(table, sample, task);
	if (G_UNLIKELY(table->passing_on_is_due))
		task_pass_on(table);
	found = task_at(table, sample->tgid, sample->tid, sample->time_ns);
	if (G_UNLIKELY(!found))
		return fill_unknown(sample, task);
	process = found->process;
	task->tgid = process->tgid;
	task->tid = found->tid;
	task->start_time_ns = process->start_time_ns;
	task->cgroup_id = is_usable_cgroup(table, sample->cgroup_id)
				  ? sample->cgroup_id
				  : task_cgroup_of(table, process);
	memcpy(task->comm, task_names_at(&found->names, sample->time_ns), KMT_COMM_BYTES);
	put_leader_name(table, found, sample->time_ns, task->leader);
	return process->is_counted;
}

void task_table_count(TaskTable *table, uint32_t tgid)
{
	task_process_of(table, tgid)->is_counted = true;
	table->has_counted = true;
}

void task_table_set_inherit(TaskTable *table, bool inherit)
{
	table->inherits_count = inherit;
}

bool task_table_is_counted(const TaskTable *table, uint32_t tgid)
{
	const Task *leader = task_lookup(table, tgid);

	return leader && task_is_leader(leader) && leader->process->is_counted;
}

bool task_table_has_unread_cgroups(const TaskTable *table)
{
	return table->has_unread_cgroups;
}

/* A leader stays as long as its process, which is found through it. */
static bool is_over(const Task *task, uint64_t time_ns)
{
	return task->ended_ns != TASK_LIVES && task->ended_ns + ending_ns < time_ns &&
	       (!task_is_leader(task) || task->process->threads.length == 1);
}

/* Whether a process lives on after an exit record. The kernel writes one when the process executes
   an unreadable program, or one that changes its user (begin_new_exec(), since 2.6.31). */
static bool lives_on(const TaskTable *table, const Task *task)
{
	uint64_t start_ns = task->process->start_time_ns;
	TaskProcess read;

	return task_is_leader(task) && task_proc_process(&table->proc, task->tid, &read) &&
	       !read.is_over && read.start_time_ns < start_ns + start_differs_ns &&
	       start_ns < read.start_time_ns + start_differs_ns;
}

/* Returns whether there is something to settle later. */
static bool settle(TaskTable *table, Task *task, uint64_t time_ns)
{
	Task *later, *in_force = task_life_at(task, time_ns, &later);

	task_names_settle(&task->names, time_ns);
	/* Drops the lives of the tid that had ended at that time. */
	if (in_force)
		g_clear_pointer(&in_force->earlier, task_free);
	if (is_over(task, time_ns)) {
		if (!lives_on(table, task)) {
			task_forget(table, task);
			return false;
		}
		task->ended_ns = TASK_LIVES;
	}
	task->is_recent =
		task->ended_ns != TASK_LIVES || task->born_ns > time_ns || task->names.older_count;
	return task->is_recent;
}

void task_table_settle(TaskTable *table, uint64_t time_ns)
{
	guint kept = 0;

	table->settled_ns = MAX(table->settled_ns, time_ns);
	task_follow_cgroups(table);
	if (table->passing_on_is_due)
		task_pass_on(table);
	for (guint i = 0; i < table->recent->len; i++) {
		uint32_t tid = g_array_index(table->recent, uint32_t, i);
		Task *task = task_lookup(table, tid);

		if (task && settle(table, task, time_ns))
			g_array_index(table->recent, uint32_t, kept++) = tid;
	}
	g_array_set_size(table->recent, kept);
}

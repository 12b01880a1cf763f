/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table itself: made at the start of a run, fed with the records of perf (new names, forks,
 * ends), asked for the task of each sample, and settled when no earlier record can come. It owns
 * all tasks, by tid; a tid has a chain of lives (task_lives.c). Records of several CPUs come in any
 * order, so a life is inserted where its time belongs, and names are passed on to children again
 * when an earlier one arrives. perf_read.c is its user.
 */
#include "collect/tasks/task_table.h"

#include "base/clock.h"
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

/* Records. */

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
static void inherit(TaskTable *table, Process *process, Process *parent)
{
	process->is_counted |= table->inherits_count && parent->is_counted;
	if (process->cgroup_id)
		return;
	process->cgroup_id = task_cgroup_of(table, parent);
	process->cgroup_second_ns = table->settled_ns;
	if (!process->cgroup_id)
		expect_other_cgroup(process);
}

/* Returns the process that a fork made at that time, a new one if /proc did not show it. */
static Process *process_made(const Task *old, uint32_t tgid, uint64_t time_ns)
{
	Process *process = old && task_is_leader(old) && !old->born_ns && old->ended_ns > time_ns
				   ? old->process
				   : NULL;
	uint64_t start_ns = process ? process->start_time_ns : 0;

	/* The data from /proc may be of an earlier process with the same id. */
	if (start_ns &&
	    (start_ns >= time_ns + start_differs_ns || time_ns >= start_ns + start_differs_ns))
		process = NULL;
	/* If a requested pid had no process at that time, a later owner is another process. */
	if (process && process->is_counted && !start_ns)
		process = NULL;
	if (!process)
		process = process_new(tgid);
	if (!process->start_time_ns)
		process->start_time_ns = time_ns;
	return process;
}

/* Makes a task follow an older life of its tid: either its own start, read before, or another
   task's life. Records of the older life since then belong to the new task, up to the next life. */
static void succeed(TaskTable *table, Task *task, Task *old, const Task *later)
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
		succeed(table, task, old, later);
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
		inherit(table, process, parent->process);
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
		inherit(table, child->process, parent->process);
}

/* Passes the facts of parents, as known now, on to children created since the last settling.
   Parents come before their children, so that once is enough. */
static void pass_on(TaskTable *table)
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

/* Samples. */

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
		pass_on(table);
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
		pass_on(table);
	for (guint i = 0; i < table->recent->len; i++) {
		uint32_t tid = g_array_index(table->recent, uint32_t, i);
		Task *task = task_lookup(table, tid);

		if (task && settle(table, task, time_ns))
			g_array_index(table->recent, uint32_t, kept++) = tid;
	}
	g_array_set_size(table->recent, kept);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tasks/task_state.h"

#include <glib.h>
#include <string.h>

/* One read when the process is first seen, the others after an execve: a launcher moves its process
   into a cgroup before it executes the program. */
enum { CGROUP_READS = 4 };
enum { OLDER_KEPT = TASK_NAMES_KEPT - 1 };

Process *process_new(uint32_t tgid)
{
	Process *process = g_new0(Process, 1);

	process->tgid = tgid;
	process->cgroup_reads_left = CGROUP_READS;
	g_queue_init(&process->threads);
	return process;
}

Task *task_new(uint32_t tid, uint64_t born_ns, Process *process, const char *comm)
{
	Task *task = g_new0(Task, 1);

	task->tid = tid;
	task->born_ns = born_ns;
	task->ended_ns = TASK_LIVES;
	task->process = process;
	task_names_init(&task->names, comm, born_ns);
	task->in_process.data = task;
	g_queue_push_tail_link(&process->threads, &task->in_process);
	return task;
}

void task_free(Task *task)
{
	if (!task)
		return;
	task_free(task->earlier);
	g_queue_unlink(&task->process->threads, &task->in_process);
	if (g_queue_is_empty(&task->process->threads))
		g_free(task->process);
	task_names_clear(&task->names);
	g_free(task);
}

static TaskName name_of(const char *comm, uint64_t since_ns)
{
	TaskName name = { .since_ns = since_ns };

	memcpy(name.comm, comm, strnlen(comm, KMT_COMM_BYTES - 1));
	return name;
}

void task_names_init(TaskNames *names, const char *comm, uint64_t since_ns)
{
	*names = (TaskNames){ .newest = name_of(comm, since_ns) };
}

void task_names_clear(TaskNames *names)
{
	g_free(names->older);
}

static void insert_older(TaskNames *names, unsigned at, const TaskName *name)
{
	unsigned behind;

	if (at == OLDER_KEPT)
		return;
	if (!names->older)
		names->older = g_new(TaskName, OLDER_KEPT);
	behind = MIN(names->older_count, OLDER_KEPT - 1) - at;
	memmove(&names->older[at + 1], &names->older[at], behind * sizeof(TaskName));
	names->older[at] = *name;
	names->older_count = at + 1 + behind;
}

/* Adds a name that is older than the newest one. */
static void set_older(TaskNames *names, const TaskName *name)
{
	unsigned at = 0;

	while (at < names->older_count && names->older[at].since_ns > name->since_ns)
		at++;
	if (at < names->older_count && names->older[at].since_ns == name->since_ns)
		names->older[at] = *name;
	else
		insert_older(names, at, name);
}

void task_names_set(TaskNames *names, const char *comm, uint64_t since_ns)
{
	TaskName name = name_of(comm, since_ns);

	if (since_ns < names->newest.since_ns) {
		set_older(names, &name);
		return;
	}
	if (since_ns > names->newest.since_ns)
		insert_older(names, 0, &names->newest);
	names->newest = name;
}

static void take_between(TaskNames *names, const TaskName *name, uint64_t after_ns,
			 uint64_t before_ns)
{
	if (name->since_ns > after_ns && name->since_ns < before_ns)
		task_names_set(names, name->comm, name->since_ns);
}

void task_names_take_between(TaskNames *names, const TaskNames *others, uint64_t after_ns,
			     uint64_t before_ns)
{
	for (unsigned i = 0; i < others->older_count; i++)
		take_between(names, &others->older[i], after_ns, before_ns);
	take_between(names, &others->newest, after_ns, before_ns);
}

void task_names_settle(TaskNames *names, uint64_t time_ns)
{
	unsigned kept = 0;

	if (names->newest.since_ns > time_ns) {
		while (kept < names->older_count && names->older[kept].since_ns > time_ns)
			kept++;
		kept = MIN(kept + 1, names->older_count); /* the name in force at that time */
	}
	names->older_count = kept;
	if (!kept)
		g_clear_pointer(&names->older, g_free);
}

const char *task_names_look_back(const TaskNames *names, uint64_t time_ns)
{
	for (unsigned i = 0; i < names->older_count; i++)
		if (names->older[i].since_ns <= time_ns)
			return names->older[i].comm;
	return names->older[names->older_count - 1].comm;
}

uint64_t task_names_next_ns(const TaskNames *names, uint64_t time_ns)
{
	uint64_t next_ns = UINT64_MAX;

	if (names->newest.since_ns > time_ns)
		next_ns = names->newest.since_ns;
	for (unsigned i = 0; i < names->older_count && names->older[i].since_ns > time_ns; i++)
		next_ns = names->older[i].since_ns;
	return next_ns;
}

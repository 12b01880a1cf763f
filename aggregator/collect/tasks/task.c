/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tasks, processes and the names that a task had over time: their life cycle, and lookups by time
 * (task_state.h). The other files of the task table use it; it knows no table.
 */
#include "collect/tasks/task_state.h"

#include "base/hot_assert.h"

#include <glib.h>
#include <string.h>

Process *process_new(uint32_t tgid)
{
	Process *process = g_new0(Process, 1);

	process->tgid = tgid;
	process->cgroup_reads_left = TASK_CGROUP_READS;
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

/* Returns the number of older names since that time or before. */
static unsigned older_until(const TaskNames *names, uint64_t time_ns)
{
	unsigned low = 0, high = names->older_count;

	while (low < high) {
		unsigned middle = low + (high - low) / 2;

		if (names->older[middle].since_ns <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void drop_oldest(TaskNames *names, unsigned count)
{
	hot_assert(count <= names->older_count);
	names->older_count -= count;
	if (names->older_count)
		memmove(names->older, &names->older[count], names->older_count * sizeof(TaskName));
}

/* Makes room for one more. */
static void make_room(TaskNames *names)
{
	hot_assert(names->older_count <= names->older_room);
	if (names->older_count < names->older_room)
		return;
	if (names->older_room == TASK_NAMES_MAX) {
		names->known_since_ns = names->older[TASK_NAMES_MAX / 2].since_ns;
		drop_oldest(names, TASK_NAMES_MAX / 2);
		return;
	}
	names->older_room = names->older_room ? 2 * names->older_room : 4;
	names->older = g_renew(TaskName, names->older, names->older_room);
}

/* Adds a name that is older than the newest one. */
static void set_older(TaskNames *names, const TaskName *name)
{
	unsigned at;

	make_room(names);
	if (name->since_ns < names->known_since_ns)
		return;
	at = older_until(names, name->since_ns);
	if (at && names->older[at - 1].since_ns == name->since_ns) {
		names->older[at - 1] = *name;
		return;
	}
	hot_assert(at <= names->older_count && names->older_count < names->older_room);
	memmove(&names->older[at + 1], &names->older[at],
		(names->older_count - at) * sizeof(TaskName));
	names->older[at] = *name;
	names->older_count++;
}

void task_names_set(TaskNames *names, const char *comm, uint64_t since_ns)
{
	TaskName name = name_of(comm, since_ns);

	if (since_ns < names->newest.since_ns) {
		set_older(names, &name);
		return;
	}
	if (since_ns > names->newest.since_ns)
		set_older(names, &names->newest);
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

/* Keeps the name in force at that time. */
void task_names_settle(TaskNames *names, uint64_t time_ns)
{
	unsigned until = older_until(names, time_ns);

	if (names->newest.since_ns <= time_ns)
		drop_oldest(names, names->older_count);
	else if (until > 1)
		drop_oldest(names, until - 1);
	if (!names->older_count)
		g_clear_pointer(&names->older, g_free);
	if (names->older_count * 4 >= names->older_room)
		return;
	names->older_room = names->older_count;
	if (names->older)
		names->older = g_renew(TaskName, names->older, names->older_room);
}

const char *task_names_look_back(const TaskNames *names, uint64_t time_ns)
{
	static const char unknown[KMT_COMM_BYTES] = TASK_NAME_UNKNOWN;
	unsigned until = older_until(names, time_ns);

	if (until)
		return names->older[until - 1].comm;
	if (time_ns < names->known_since_ns)
		return unknown;
	return names->older_count ? names->older[0].comm : names->newest.comm;
}

bool task_name_is_known(const char *comm)
{
	return !g_str_equal(comm, TASK_EXITED) && !g_str_equal(comm, TASK_NAME_UNKNOWN);
}

uint64_t task_names_next_ns(const TaskNames *names, uint64_t time_ns)
{
	unsigned until = older_until(names, time_ns);

	if (until < names->older_count)
		return names->older[until].since_ns;
	return names->newest.since_ns > time_ns ? names->newest.since_ns : UINT64_MAX;
}

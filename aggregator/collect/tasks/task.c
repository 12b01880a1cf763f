/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/tasks/task.h"

/* One when the process is first seen, the others after an execve: whoever starts a program moves
   its process into a cgroup before. */
enum { CGROUP_READS = 4 };

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the name of a new task from its tracepoint, whose format file is parsed once. perf_events.c
 * opens the event, perf_read.c passes what it reads to the task table.
 */
#include "collect/tasks/task_births.h"

#include "collect/tracefs/tracepoint_format.h"

/* include/uapi/linux/sched.h, the same in every kernel. */
enum { THREAD_FLAG = 0x10000 };

struct TaskBirths {
	TracepointFormat *format; /* owned */
	const TracepointField *pid;
	const TracepointField *comm;
	const TracepointField *clone_flags;
};

TaskBirths *task_births_open(int kmem_folder_fd)
{
	g_autofree char *text = g_malloc(TRACEPOINT_FORMAT_BYTES_MAX);
	ssize_t length = tracepoint_format_read(kmem_folder_fd, "../task/task_newtask", text,
						TRACEPOINT_FORMAT_BYTES_MAX);
	g_autoptr(TaskBirths) births = g_new0(TaskBirths, 1);

	births->format = length > 0 ? tracepoint_format_parse(text, (size_t)length, NULL) : NULL;
	if (!births->format)
		return NULL;
	births->pid = tracepoint_format_lookup(births->format, "pid");
	births->comm = tracepoint_format_lookup(births->format, "comm");
	births->clone_flags = tracepoint_format_lookup(births->format, "clone_flags");
	if (!births->pid || !births->comm || !births->clone_flags ||
	    births->comm->size != KMT_COMM_BYTES)
		return NULL;
	return g_steal_pointer(&births);
}

void task_births_free(TaskBirths *births)
{
	if (!births)
		return;
	tracepoint_format_free(births->format);
	g_free(births);
}

uint16_t task_births_id(const TaskBirths *births)
{
	return births->format->id;
}

bool task_births_read(const TaskBirths *births, const uint8_t *raw, uint32_t raw_bytes,
		      TaskBirth *birth)
{
	uint64_t pid, clone_flags;

	if (raw_bytes < sizeof(uint16_t) || load_u16(raw, false) != births->format->id ||
	    (uint32_t)births->comm->offset + KMT_COMM_BYTES > raw_bytes ||
	    !tracepoint_field_number(births->pid, raw, raw_bytes, &pid) ||
	    !tracepoint_field_number(births->clone_flags, raw, raw_bytes, &clone_flags))
		return false;
	*birth = (TaskBirth){ .tid = (uint32_t)pid, .is_thread = clone_flags & THREAD_FLAG };
	memcpy(birth->comm, raw + births->comm->offset, KMT_COMM_BYTES);
	return true;
}

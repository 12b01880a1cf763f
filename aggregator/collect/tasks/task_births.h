/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * TaskBirths reads the tracepoint task:task_newtask, which says what a task is called when it is
 * made. No other record of perf events does since Linux 6.4: a kernel thread then has its name
 * before its record of fork, and no record of a name follows.
 */
typedef struct TaskBirths TaskBirths;

/* What the kernel's filter lets through: tasks made with CLONE_UNTRACED, as the kernel makes its
   own threads and those that it adds to processes. All others have the name of whoever made them.
 */
#define TASK_BIRTHS_FILTER "clone_flags & 0x800000"

typedef struct {
	uint32_t tid;                  /* as the first pid namespace has it */
	bool is_thread;                /* of the process that made it; else a process of its own */
	char comm[KMT_COMM_BYTES + 1]; /* any bytes */
} TaskBirth;

/* Reads the tracepoint's format file, beside that of the folder events/kmem, which is borrowed.
   Returns NULL where this kernel has none that can be used. */
TaskBirths *task_births_open(int kmem_folder_fd);
void task_births_free(TaskBirths *births);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskBirths, task_births_free)

/* Returns the number of the tracepoint. */
uint16_t task_births_id(const TaskBirths *births);

/* Reads a raw record of so many bytes. Returns false when it is none of this tracepoint. */
bool task_births_read(const TaskBirths *births, const uint8_t *raw, uint32_t raw_bytes,
		      TaskBirth *birth);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_kinds.h"

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/*
 * TaskBirths reads the tracepoint task:task_newtask, which has the name of a new task. Since Linux
 * 6.4, no other perf record has it: a kernel thread gets its name before its fork record, and no
 * name record follows.
 */
typedef struct TaskBirths TaskBirths;

/* The kernel's filter: tasks made with CLONE_UNTRACED, which are the kernel's own threads and those
   that it adds to processes. All other tasks inherit the name of their creator. */
#define TASK_BIRTHS_FILTER "clone_flags & 0x800000"

typedef struct {
	uint32_t tid;                  /* in the first pid namespace */
	bool is_thread;                /* a thread of its creator's process; else a new process */
	char comm[KMT_COMM_BYTES + 1]; /* any bytes */
} TaskBirth;

/* Reads the tracepoint's format file, relative to the borrowed folder events/kmem. Returns NULL if
   this kernel has no usable one. */
TaskBirths *task_births_open(int kmem_folder_fd);
void task_births_free(TaskBirths *births);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TaskBirths, task_births_free)

/* Returns the number of the tracepoint. */
uint16_t task_births_id(const TaskBirths *births);

/* Parses a raw record of raw_bytes. Returns false if it is not of this tracepoint. */
bool task_births_read(const TaskBirths *births, const uint8_t *raw, uint32_t raw_bytes,
		      TaskBirth *birth);

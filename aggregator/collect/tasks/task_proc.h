/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/event_kinds.h"

#include <stdbool.h>
#include <stdint.h>

/* TaskProc reads the kernel's facts about tasks from /proc. A task that has ended is not an error:
   the functions return false for it. */
typedef struct {
	int folder; /* /proc; -1: unavailable */
	uint64_t ns_per_tick;
	uint64_t asleep_ns; /* difference between the time since boot and CLOCK_MONOTONIC */
} TaskProc;

typedef struct {
	uint64_t start_time_ns; /* CLOCK_MONOTONIC, rounded to a tick, usually 10 ms; never 0 */
	uint32_t parent_tgid;
	uint32_t threads;
	bool is_over;   /* it has ended, but its parent has not waited for it yet */
	bool is_worker; /* serves a work queue: /proc appends the current work to its name */
} TaskProcess;

/* /proc lies below root ("": this host's). */
void task_proc_open(TaskProc *proc, const char *root);
void task_proc_close(TaskProc *proc);

/* Reads /proc/TGID/stat. Returns false if there is no such process. */
bool task_proc_process(const TaskProc *proc, uint32_t tgid, TaskProcess *process);

/* Reads the kernel's name of the task, padded with NULs. */
bool task_proc_comm(const TaskProc *proc, uint32_t tid, bool is_worker, char comm[KMT_COMM_BYTES]);

/* Called for each process of the host, or for each thread of a process. */
typedef void (*TaskProcVisit)(uint32_t id, void *user_data);
void task_proc_each_process(const TaskProc *proc, TaskProcVisit visit, void *user_data);
void task_proc_each_thread(const TaskProc *proc, uint32_t tgid, TaskProcVisit visit,
			   void *user_data);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "record/format.h"

#include <stdint.h>

/*
 * TaskNames is what a task was called, and from when on. Names may come in any order of their
 * times. A name is raw bytes, filled with NULs.
 */
enum { TASK_NAMES_KEPT = 16 };

typedef struct {
	uint64_t since_ns;
	char comm[KMT_COMM_BYTES];
} TaskName;

typedef struct {
	TaskName newest;
	TaskName *older;      /* newest first, owned; NULL: never had another name */
	unsigned older_count; /* below TASK_NAMES_KEPT */
} TaskNames;

/* The name of a task that has none yet. */
void task_names_init(TaskNames *names, const char *comm, uint64_t since_ns);
void task_names_clear(TaskNames *names);

/* Adds a name, or replaces the one of that very time. The oldest one makes room. */
void task_names_set(TaskNames *names, const char *comm, uint64_t since_ns);

/* Adds the names that another task got between two times, both exclusive. */
void task_names_take_between(TaskNames *names, const TaskNames *others, uint64_t after_ns,
			     uint64_t before_ns);

/* Forgets what only events before that time were called by. */
void task_names_settle(TaskNames *names, uint64_t time_ns);

/* Returns the time of the first name after that time, UINT64_MAX: there is none. */
uint64_t task_names_next_ns(const TaskNames *names, uint64_t time_ns);

const char *task_names_look_back(const TaskNames *names, uint64_t time_ns);

/* Returns KMT_COMM_BYTES: the name at that time, or the first one known. Valid until the names
   change. */
static inline const char *task_names_at(const TaskNames *names, uint64_t time_ns)
{
	if (names->newest.since_ns <= time_ns || !names->older_count)
		return names->newest.comm;
	return task_names_look_back(names, time_ns);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/user/user_spans.h"

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * UserProcess is what has the same process id: one process after the other, and in each one
 * program after the other. Its history is cut into eras, by forks and by calls of exec.
 */
typedef struct UserProcess UserProcess;

/* The time from a fork or exec until the next one. Before the first one is an era of mappings that
   were there when the recording began. */
typedef struct {
	uint64_t begin_ns;
	UserProcess *parent; /* borrowed: its mappings of that time are there, too; NULL: none */
} UserEra;

struct UserProcess {
	uint32_t tgid;
	GArray *eras; /* (element-type UserEra): by time; owned */
	UserSpans *spans;
	uint64_t ended_ns;  /* the last known end; 0: none */
	uint64_t latest_ns; /* of its lines other than ends */
	uint64_t needed_ns; /* of user_maps_settle() */
};

/* Returns a new one; free it with user_process_free(). */
UserProcess *user_process_new(uint32_t tgid);
void user_process_free(UserProcess *process);

/* Returns the memory in use, in bytes, about. */
size_t user_process_memory(const UserProcess *process);

/* Adds an era; the later line of two with the same time counts. parent NULL: exec. */
void user_process_begin(UserProcess *process, uint64_t begin_ns, UserProcess *parent);

/* Returns the position of the era of a time, plus one; 0: before the first. */
guint user_process_era(const UserProcess *process, uint64_t time_ns);

/* Returns what was mapped at an address, also by a fork; NULL: nothing. */
const UserSpan *user_process_find(const UserProcess *process, uint64_t address, uint64_t time_ns);

/* Whether the process had ended by this time, and no other has its id. */
bool user_process_is_over(const UserProcess *process, uint64_t time_ns);

/* Forgets what nobody finds who asks for this time or later ones. */
void user_process_forget(UserProcess *process, uint64_t time_ns);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/user/user_spans.h"

#include <glib.h>

/* What is mapped in each process now, and whether the unwinding process has been told so. */
typedef struct UnwindProcesses UnwindProcesses;

typedef struct {
	gint64 key;
	UserSpans *spans;
	bool is_told;       /* of all of it */
	bool is_known;      /* has been told of something */
	bool is_incomplete; /* something found no room: its stacks cannot be unwound */
} UnwindProcess;

/* Returns a table of at most that many mappings of all processes together. */
UnwindProcesses *unwind_processes_new(guint spans_max);
void unwind_processes_free(UnwindProcesses *processes);

/* Returns a process; NULL: nothing is known to be mapped in it. */
UnwindProcess *unwind_processes_find(const UnwindProcesses *processes, uint64_t key);

/* Maps something over what was there. If the table is full, the process is incomplete. */
void unwind_processes_map(UnwindProcesses *processes, uint64_t key, const UserSpan *span);

/* Gives a process all mappings of another one, instead of its own; likewise. */
void unwind_processes_copy(UnwindProcesses *processes, uint64_t key, uint64_t from);

/* Nothing is mapped in a process any more. */
void unwind_processes_empty(UnwindProcesses *processes, uint64_t key);

/* The same, and the unwinding process knows it. */
void unwind_processes_forget(UnwindProcesses *processes, uint64_t key);

/* Nothing was told to the new unwinding process. */
void unwind_processes_tell_again(UnwindProcesses *processes);

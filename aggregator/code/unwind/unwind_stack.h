/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_rule.h"
#include "code/user/user_spans.h"

#include <glib.h>

/*
 * Unwinder finds the callers of user code in copies of stacks (PERF_SAMPLE_STACK_USER, since Linux
 * 3.7), by CFI: also of programs without frame pointers. Code without CFI, such as that of JIT
 * compilers, is expected to have frame pointers.
 *
 * Everything it reads is hostile. It allocates memory and reads files that anybody may have
 * written, so run it in a process that may do nothing else (unwind_child.h).
 */
typedef struct Unwinder Unwinder;

enum { UNWIND_FRAMES_MAX = 127 }; /* as PERF_MAX_STACK_DEPTH */

/* A stack. Frames are addresses in the process, innermost first. The first is where the thread was;
   others are return addresses, or behind a signal handler where the thread was. */
typedef struct {
	UnwindEnd end;
	uint32_t depth;
	uint64_t frames[UNWIND_FRAMES_MAX];
} UnwindStack;

/* Returns an unwinder whose objects and rows take at most this much memory, about. */
Unwinder *unwinder_new(uint64_t memory_bytes_max);
void unwinder_free(Unwinder *unwinder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Unwinder, unwinder_free)

/* From now on, stores there the number of the object whose CFI is being read: should that be the
   end of the process, this object is why. */
void unwinder_watch(Unwinder *unwinder, uint32_t *busy_object);

/* Adds an object, or replaces one of that number. The descriptor of its file is borrowed for the
   call. Numbers are small. */
void unwinder_add_object(Unwinder *unwinder, uint32_t number, int fd);

/* Replaces the executable mappings of a process: where their objects are, at one time. NULL: the
   process is forgotten. Object 0 is code without a file. */
void unwinder_set_maps(Unwinder *unwinder, uint64_t process, const UserSpans *spans);

/* Finds the frames of a stack. */
void unwinder_walk(Unwinder *unwinder, uint64_t process, const UnwindRegisters *registers,
		   const UnwindCopy *copy, UnwindStack *stack);

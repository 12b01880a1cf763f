/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_child.h"
#include "record/event_writer.h"
#include "code/user/user_map_line.h"
#include "code/user/user_objects.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The user stacks of hits whose samples have copies of the stack: they are unwound in another
 * process (unwind_child.h), while the ring is read on. Hits wait until the stacks of their ring's
 * part are known, so they stay in order.
 */
typedef struct PerfUnwind PerfUnwind;

/* Starts the process, which takes about this much memory. The objects are those of the session, and
   borrowed: set them before the first mapping. Returns NULL with error set. */
PerfUnwind *perf_unwind_new(uint64_t memory_bytes_max, GError **error);
void perf_unwind_free(PerfUnwind *unwind);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PerfUnwind, perf_unwind_free)

/* Sets the objects of the session, borrowed; see perf_unwind_new(). */
void perf_unwind_set_objects(PerfUnwind *unwind, UserObjects *objects);

/* Sets what opens files, borrowed, before the first one is given. */
void perf_unwind_set_opener(PerfUnwind *unwind, FileOpener *opener);

/* Takes a change of the mappings of a process, in the order of the rings of tasks. */
void perf_unwind_see(PerfUnwind *unwind, const UserMapLine *line);

/* Promises that no hit of an earlier time follows: forgets the processes that had ended. */
void perf_unwind_settle(PerfUnwind *unwind, uint64_t until_ns);

/* Gives the file of an object, or its place; the descriptor is duplicated. */
void perf_unwind_add_file(PerfUnwind *unwind, uint32_t object, int fd);

/* The parts of a sample that its user stack is unwound from. */
typedef struct {
	uint64_t abi;
	const uint64_t *registers; /* those of unwind_registers_mask(); NULL: there is no stack */
	const uint8_t *stack;
	uint64_t stack_bytes;
} PerfUserStack;

/* Adds a hit; copies it. */
void perf_unwind_add(PerfUnwind *unwind, const EventTask *task, const PointHit *hit,
		     const PerfUserStack *stack);

/* Waits for the stacks of all hits added, and writes the hits. depth_max: of their user frames. */
void perf_unwind_flush(PerfUnwind *unwind, EventWriter *writer, uint32_t depth_max);

/* Returns the number of hits so far with a copy of their stack, but without user frames: as many as
   they stand for. */
uint64_t perf_unwind_missing(const PerfUnwind *unwind);

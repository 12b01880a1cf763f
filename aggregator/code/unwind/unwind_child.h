/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/elf/file_opener.h"
#include "code/unwind/unwind_stack.h"
#include "code/user/user_spans.h"
#include "process/child.h"
#include "process/child_port.h"

#include <glib.h>
#include <stdbool.h>

/*
 * UnwindChild, at the end, is what others use; before it is what its two processes share: messages,
 * ring, worker, table of mappings.
 *
 * What the program and its unwinding process say to each other. Mappings and stacks go through a
 * ring in shared memory, files and everything else through messages (child_port.h).
 *
 * The process may have been taken over: the program believes nothing of what it writes, neither in
 * the ring nor in answers.
 */
enum {
	UNWIND_RING_BYTES = 32 << 20,
	UNWIND_WORKERS_MAX = 8, /* one after the other: each next one when one was lost */
	UNWIND_ANSWER_BYTES_MAX = 16 << 10,
};

/* The ring. Positions count all bytes since the start. */
typedef struct {
	uint64_t head;      /* the program writes here */
	uint64_t tail;      /* the process reads here */
	uint32_t is_asleep; /* the process waits for a message */
	/* The object whose CFI the process is reading; and those at which processes were lost. */
	uint32_t busy_object;
	uint32_t suspects[UNWIND_WORKERS_MAX];
	uint64_t memory_bytes_max; /* for what the process reads, about */
	uint8_t bytes[UNWIND_RING_BYTES];
} UnwindShared;

typedef enum {
	UNWIND_RECORD_PADDING, /* up to the end of the ring */
	UNWIND_RECORD_MAPS,    /* an array of UserSpan follows: all mappings of the process */
	UNWIND_RECORD_FORGET,  /* the process is gone */
	UNWIND_RECORD_JOB,     /* UnwindJobRecord and the stack follow */
} UnwindRecordType;

typedef struct {
	uint32_t type;
	uint32_t bytes; /* with this header; a multiple of its size */
	uint64_t process;
} UnwindRecord;

typedef struct {
	uint64_t number;
	uint64_t stack_address;
	uint64_t stack_bytes;
	UnwindRegisters registers;
} UnwindJobRecord;

/* Messages of the socket. */
typedef enum {
	UNWIND_MESSAGE_HELLO = CHILD_MESSAGE_OWN, /* by the process: it waits */
	UNWIND_MESSAGE_START,                     /* to it: read the ring from that position */
	UNWIND_MESSAGE_OBJECT,  /* to it: a descriptor comes with it; the value is its number */
	UNWIND_MESSAGE_WAKE,    /* to it: the ring is not empty */
	UNWIND_MESSAGE_ANSWERS, /* by it: each UnwindAnswer with its frames */
} UnwindMessageType;

typedef struct {
	uint64_t number; /* of the job */
	uint32_t end;    /* an UnwindEnd */
	uint32_t depth;
	uint64_t frames[];
} UnwindAnswer;

/* The ring has one writer, whose position is its own, and one reader. */

/*
 * Returns room for a record with a body of that size, after its header, which is filled; NULL: the
 * reader has not made room yet. *head is the writer's position; the record is read after
 * unwind_ring_publish(). A reader whose position makes no sense gets no records.
 */
void *unwind_ring_reserve(UnwindShared *shared, uint64_t *head, UnwindRecordType type,
			  uint64_t process, size_t body_bytes);
void unwind_ring_publish(UnwindShared *shared, uint64_t head);

/* Returns the kind of process that unwinds: it takes records from the ring (UnwindShared, the data
   of child_start()) and answers over the socket, until the program's end of it closes. A record
   that takes seconds ends it. What it reads takes at most this much memory, about. */
ChildType unwind_worker_type(uint64_t memory_bytes_max);

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

/*
 * UnwindChild unwinds user stacks in a process without rights (process/child_sandbox.h), since
 * files and stacks come from anybody. No call waits for that process, except where a deadline is
 * given. Memory is bounded: a stack that finds no room is refused. If the process is lost, the
 * stacks that it had are answered as not unwound, another process takes its place, and the object
 * that it was reading is left out.
 */
typedef struct UnwindChild UnwindChild;

/* An executable mapping of a process. Object 0 is code without a file. */
typedef struct {
	uint64_t start, length;
	uint64_t file_offset;
	uint32_t object;
} UnwindMapping;

/* A stack to unwind; borrowed for the call. */
typedef struct {
	uint64_t process;   /* key: the tgid, and what distinguishes processes that had it */
	uint64_t user_data; /* returned with the answer */
	UnwindRegisters registers;
	UnwindCopy copy;
} UnwindJob;

/* Called with each answer, in the order of jobs. A stack that was not unwound has no frames. It is
   borrowed for the call. */
typedef void (*UnwindTaker)(uint64_t job_user_data, const UnwindStack *stack, void *user_data);

/* Starts the process, which takes about this much memory for what it reads. Returns NULL with error
   set, also if the process cannot give up its rights. */
UnwindChild *unwind_child_new(uint64_t memory_bytes_max, GError **error);

/* Ends the process. Jobs without an answer get none. */
void unwind_child_free(UnwindChild *child);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(UnwindChild, unwind_child_free)

/* Sets what opens files for the process, borrowed; without it, it gets no places. */
void unwind_child_set_opener(UnwindChild *child, FileOpener *opener);

/* Adds an ELF file, or its place (trusted_file.h). The numbers are small; 0 is none. The descriptor
   is borrowed until the child is freed. */
void unwind_child_add_object(UnwindChild *child, uint32_t number, int fd);

/* Changes what is mapped in a process, for the jobs that follow: one more mapping, which replaces
   what is at its addresses; those of another process, as a fork copies them; none. */
void unwind_child_add_mapping(UnwindChild *child, uint64_t process, const UnwindMapping *mapping);
void unwind_child_copy_maps(UnwindChild *child, uint64_t process, uint64_t from);
void unwind_child_forget(UnwindChild *child, uint64_t process);

/* Whether all mappings of a process found room. Else its stacks are refused. */
bool unwind_child_has_all(const UnwindChild *child, uint64_t process);

/* Submits a stack. Returns false if it is refused, and then no answer follows: the queue or the
   table of mappings is full, or there is no process any more. */
bool unwind_child_submit(UnwindChild *child, const UnwindJob *job);

/* Takes the answers that have arrived. */
void unwind_child_take(UnwindChild *child, UnwindTaker taker, void *user_data);

/* Takes all answers. Waits until a time of CLOCK_MONOTONIC; jobs without an answer then are
   answered as not unwound. */
void unwind_child_drain(UnwindChild *child, uint64_t until_ns, UnwindTaker taker, void *user_data);

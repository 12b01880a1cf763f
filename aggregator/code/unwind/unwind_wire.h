/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "process/child_port.h"
#include "code/unwind/unwind_stack.h"

/*
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

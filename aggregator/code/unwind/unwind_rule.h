/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "code/unwind/unwind_registers.h"

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * A rule says where a register of the caller is, as CFI does it (DWARF 5, section 6.4.1). CFA is
 * the caller's stack pointer. Everything that a rule reads comes from outside: from a file that a
 * user wrote, and from a copy of a user's stack.
 */
typedef enum {
	UNWIND_RULE_SAVED,         /* saved at CFA + offset */
	UNWIND_RULE_CFA,           /* is CFA + offset */
	UNWIND_RULE_REGISTER,      /* is the value of another register + offset */
	UNWIND_RULE_SAVED_BY_CODE, /* saved at the address that an expression has computed */
	UNWIND_RULE_BY_CODE,       /* is what an expression has computed */
} UnwindRuleType;

typedef struct {
	uint8_t type;      /* an UnwindRuleType */
	uint8_t target;    /* register that gets the value */
	uint8_t from;      /* UNWIND_RULE_REGISTER */
	uint16_t op_count; /* of an expression */
	union {
		int64_t offset;
		const Dwarf_Op *ops; /* borrowed from libdw */
	};
} UnwindRule;

/* Why a walk ended. */
typedef enum {
	UNWIND_END_START,       /* at the program's or the thread's start: the stack is complete */
	UNWIND_END_COPY,        /* the copy of the stack ends here */
	UNWIND_END_DEPTH,       /* UNWIND_FRAMES_MAX */
	UNWIND_END_OUTSIDE,     /* the return address is in no executable mapping */
	UNWIND_END_NO_CFI,      /* code without CFI, nor a frame pointer */
	UNWIND_END_UNSUPPORTED, /* CFI that this program does not understand */
	UNWIND_END_DAMAGED,     /* CFI that cannot be right: the stack would not shrink */
	UNWIND_END_NOT_UNWOUND, /* no room in the queue, or the helper process was lost */
	UNWIND_ENDS,
} UnwindEnd;

/* A copy of the top of a stack; borrowed. */
typedef struct {
	uint64_t address; /* of its first byte */
	const uint8_t *bytes;
	size_t size;
} UnwindCopy;

/* A frame whose caller is being looked for. */
typedef struct {
	UnwindRegisters registers;
	uint64_t cfa; /* for all rules but the CFA's own */
	UnwindCopy copy;
	UnwindEnd end; /* set by what fails */
} UnwindFrame;

/* Reads a word of up to 8 bytes from the stack. Returns false with frame->end set if the copy does
   not contain it. */
bool unwind_frame_read(UnwindFrame *frame, uint64_t address, unsigned bytes, uint64_t *word);

/* Computes the caller's value. Returns false with frame->end set. */
bool unwind_rule_apply(const UnwindRule *rule, UnwindFrame *frame, uint64_t *value);

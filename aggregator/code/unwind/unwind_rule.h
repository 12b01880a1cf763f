/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The registers that unwinding needs, by their DWARF numbers. The numbers are in the psABIs of
 * x86-64 (figure 3.36) and AArch64 (aadwarf64, section 4.1). Perf has other numbers: bits of
 * perf_event_attr.sample_regs_user, in arch/x86/include/uapi/asm/perf_regs.h and
 * arch/arm64/include/uapi/asm/perf_regs.h.
 */
#if defined(__aarch64__)
enum {
	UNWIND_REGISTER_COUNT = 33, /* x0 to x30, sp, pc */
	UNWIND_RULE_REGISTERS = 32, /* CFI has rules for the first ones */
	UNWIND_FP = 29,
	UNWIND_RETURN = 30, /* the column of the return address */
	UNWIND_SP = 31,
	UNWIND_PC = 32,
};
#else
enum {
	UNWIND_REGISTER_COUNT = 17,
	UNWIND_RULE_REGISTERS = 17,
	UNWIND_FP = 6,
	UNWIND_SP = 7,
	UNWIND_RETURN = 16,
	UNWIND_PC = 16,
};
#endif

/* What code was doing at a sample; by DWARF number. */
typedef struct {
	uint64_t values[UNWIND_REGISTER_COUNT];
} UnwindRegisters;

/* Returns which registers to request: perf_event_attr.sample_regs_user. 0: user stacks of this
   machine cannot be unwound. */
uint64_t unwind_registers_mask(void);

/* Returns how many values a sample with these registers has. */
unsigned unwind_registers_in_sample(void);

/*
 * Reads the values of a sample, in perf's order. The abi comes before them (enum
 * perf_sample_regs_abi). Returns false for 32-bit programs, and for samples without registers: of
 * kernel threads.
 */
bool unwind_registers_read(uint64_t abi, const uint64_t *values, UnwindRegisters *registers);

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

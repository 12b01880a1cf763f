/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
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

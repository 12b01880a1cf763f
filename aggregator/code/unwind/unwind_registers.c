/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables by machine: DWARF numbers of perf's registers, and which of them a sample must have.
 * Sampling and the walk use the same table.
 */
#include "code/unwind/unwind_registers.h"

#include <linux/perf_event.h>

/* The DWARF number of each value, in the order of perf's numbers. */
#if defined(__x86_64__)

/* ax, bx, cx, dx, si, di, bp, sp, ip; r8 to r15. Between them are flags and segments. */
static const uint64_t mask = 0x1ff | 0xffULL << 16;
static const uint8_t numbers[] = { 0, 3, 2, 1, 4, 5, 6, 7, 16, 8, 9, 10, 11, 12, 13, 14, 15 };

#elif defined(__aarch64__)

/* x0 to x30, sp, pc: the same order. */
static const uint64_t mask = 0x1ffffffffULL;
static const uint8_t numbers[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
				   11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
				   22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32 };

#else

static const uint64_t mask;
static const uint8_t numbers[UNWIND_REGISTER_COUNT];

#endif

uint64_t unwind_registers_mask(void)
{
	return mask;
}

unsigned unwind_registers_in_sample(void)
{
	return mask ? UNWIND_REGISTER_COUNT : 0;
}

bool unwind_registers_read(uint64_t abi, const uint64_t *values, UnwindRegisters *registers)
{
	if (abi != PERF_SAMPLE_REGS_ABI_64)
		return false;
	for (unsigned i = 0; i < unwind_registers_in_sample(); i++)
		registers->values[numbers[i]] = values[i];
	return mask != 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Const tables by machine: which registers have arguments and results, and the names of registers
 * in USDT operands.
 */
#include "collect/points/point_registers.h"

#include "base/text_part.h"

#include <glib.h>

/* The numbers are written out: asm/perf_regs.h of an older distribution, or of another machine, may
   lack them. */
#if defined(__x86_64__)

enum { AX, BX, CX, DX, SI, DI, BP, SP, R8 = 16, R9, R10, R11, R12, R13, R14, R15 };

static const int arguments[] = { DI, SI, DX, CX, R8, R9 };
static const int result = AX;

/* The names of 8, 4, 2 and 1 bytes. */
static const struct RegisterNames {
	int number;
	const char *names[4];
} registers[] = {
	{ AX, { "rax", "eax", "ax", "al" } },       { BX, { "rbx", "ebx", "bx", "bl" } },
	{ CX, { "rcx", "ecx", "cx", "cl" } },       { DX, { "rdx", "edx", "dx", "dl" } },
	{ SI, { "rsi", "esi", "si", "sil" } },      { DI, { "rdi", "edi", "di", "dil" } },
	{ BP, { "rbp", "ebp", "bp", "bpl" } },      { SP, { "rsp", "esp", "sp", "spl" } },
	{ R8, { "r8", "r8d", "r8w", "r8b" } },      { R9, { "r9", "r9d", "r9w", "r9b" } },
	{ R10, { "r10", "r10d", "r10w", "r10b" } }, { R11, { "r11", "r11d", "r11w", "r11b" } },
	{ R12, { "r12", "r12d", "r12w", "r12b" } }, { R13, { "r13", "r13d", "r13w", "r13b" } },
	{ R14, { "r14", "r14d", "r14w", "r14b" } }, { R15, { "r15", "r15d", "r15w", "r15b" } },
};

int point_register_named(const char *name, size_t length, unsigned *bytes)
{
	for (guint i = 0; i < G_N_ELEMENTS(registers); i++)
		for (guint size = 0; size < G_N_ELEMENTS(registers[i].names); size++)
			if (text_part_is((TextPart){ name, length }, registers[i].names[size])) {
				*bytes = 8U >> size;
				return registers[i].number;
			}
	return POINT_REGISTER_NONE;
}

#elif defined(__aarch64__)

enum { X_REGISTERS = 31, SP = 31 };

static const int arguments[] = { 0, 1, 2, 3, 4, 5, 6, 7 };
static const int result = 0;

/* x0 to x30, their lower halves w0 to w30, and sp. */
int point_register_named(const char *name, size_t length, unsigned *bytes)
{
	uint64_t number;

	*bytes = length && *name == 'w' ? 4 : 8;
	if (text_part_is((TextPart){ name, length }, "sp"))
		return SP;
	if (length < 2 || (*name != 'x' && *name != 'w') ||
	    !text_part_decimal((TextPart){ name + 1, length - 1 }, &number) ||
	    number >= X_REGISTERS)
		return POINT_REGISTER_NONE;
	return (int)number;
}

#elif defined(__s390x__)

enum { R_REGISTERS = 16 };

static const int arguments[] = { 2, 3, 4, 5, 6 };
static const int result = 2;

/* r0 to r15. */
int point_register_named(const char *name, size_t length, unsigned *bytes)
{
	uint64_t number;

	*bytes = 8;
	if (length < 2 || *name != 'r' ||
	    !text_part_decimal((TextPart){ name + 1, length - 1 }, &number) ||
	    number >= R_REGISTERS)
		return POINT_REGISTER_NONE;
	return (int)number;
}

#else

#if defined(__powerpc64__)
static const int arguments[] = { 3, 4, 5, 6, 7, 8, 9, 10 };
static const int result = 3;
#else
static const int arguments[] = { POINT_REGISTER_NONE };
static const int result = POINT_REGISTER_NONE;
#endif

/* On POWER, operands do not say whether a number is that of a register. */
int point_register_named(const char *name, size_t length, unsigned *bytes)
{
	(void)name;
	(void)length;
	*bytes = 0;
	return POINT_REGISTER_NONE;
}

#endif

unsigned point_registers_of_arguments(void)
{
	return result == POINT_REGISTER_NONE ? 0 : (unsigned)G_N_ELEMENTS(arguments);
}

int point_register_of_argument(unsigned number)
{
	return number && number <= point_registers_of_arguments() ? arguments[number - 1]
								  : POINT_REGISTER_NONE;
}

int point_register_of_result(void)
{
	return result;
}

int point_register_of_return_address(void)
{
#if defined(__x86_64__)
	return SP;
#else
	return POINT_REGISTER_NONE;
#endif
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Where functions have their arguments and results on this machine, as numbers of perf's registers:
 * bits of perf_event_attr.sample_regs_intr. The kernel's numbers are in
 * arch/MACHINE/include/uapi/asm/perf_regs.h of x86, arm64, powerpc and s390, and do not change.
 * Programs and the kernel pass the first arguments alike (System V ABI; AAPCS64; ELFv2; s390x ELF).
 */

enum { POINT_REGISTER_NONE = -1 };

/* Returns the register of an argument (1: the first) at a function's entry; POINT_REGISTER_NONE: it
   is in none. */
int point_register_of_argument(unsigned number);

/* How many arguments are in registers; 0: unknown machine. */
unsigned point_registers_of_arguments(void);

/* Returns the register of the result when a function returns. */
int point_register_of_result(void);

/* Returns the register that points to the return address at a function's entry;
   POINT_REGISTER_NONE: the address is not in memory. */
int point_register_of_return_address(void);

/* Returns the register of that name in an operand of a USDT probe ("rdi", "%edi", "x0"), which need
   not be terminated, and the bytes of it that the name means. POINT_REGISTER_NONE: another one. */
int point_register_named(const char *name, size_t length, unsigned *bytes);

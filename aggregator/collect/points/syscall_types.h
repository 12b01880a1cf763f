/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* A type of an argument of a system call. */
typedef struct {
	const char *name;
	unsigned bytes;
	bool is_signed;
} SyscallType;

/*
 * Returns the size and the sign of a type, as the format file of sys_enter_NAME prints it. There
 * every argument is a register of 8 bytes without a sign (trace_define_field() in
 * kernel/trace/trace_syscalls.c), and the upper bytes of a shorter type are undefined. Types that
 * fill the register without a sign, like pointers, are not known: NULL.
 */
const SyscallType *syscall_type_lookup(const char *name);

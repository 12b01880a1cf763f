/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * The types of a kernel function's parameters and result, from the kernel's BTF. They matter
 * because a register has 8 bytes, of which a smaller type defines only the lower ones.
 */

enum { FUNCTION_PARAMETERS_MAX = 12 };

typedef struct {
	char *name;     /* owned; "" if unknown, and for a result */
	unsigned bytes; /* 1 to 8; 0: there is no result */
	bool is_signed;
} FunctionValue;

typedef struct {
	FunctionValue parameters[FUNCTION_PARAMETERS_MAX];
	unsigned count; /* of parameters */
	FunctionValue result;
} FunctionTypes;

/* Returns the types of a function of the kernel itself, not of a module, from /sys/kernel/btf below
   root ("": this host's). Returns NULL if they are not known, or one does not fit into a register.
   The caller frees it. */
FunctionTypes *function_types_read(const char *root, const char *function);
void function_types_free(FunctionTypes *types);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(FunctionTypes, function_types_free)

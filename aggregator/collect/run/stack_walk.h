/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

/* How SystemTap's collector walks a stack (--stack-walk). The numbers are the values of the probe
   module's parameter kmt_stack_walk. */
typedef enum {
	STACK_WALK_KERNEL = 0,
	STACK_WALK_AUTO = 1,    /* the collector itself, the kernel where that is not possible */
	STACK_WALK_COMPARE = 2, /* both, and the results are compared */
	STACK_WALKS,
} StackWalk;

/* Returns the name of a walk, as given to --stack-walk. */
const char *stack_walk_name(StackWalk walk);

/* Finds the walk with this name. Returns false if there is none. */
bool stack_walk_parse(const char *name, StackWalk *walk);

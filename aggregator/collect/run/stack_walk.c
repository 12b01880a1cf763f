/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/run/stack_walk.h"

#include <string.h>

static const char *const names[STACK_WALKS] = {
	[STACK_WALK_KERNEL] = "kernel",
	[STACK_WALK_AUTO] = "auto",
	[STACK_WALK_COMPARE] = "compare",
};

const char *stack_walk_name(StackWalk walk)
{
	return names[walk];
}

bool stack_walk_parse(const char *name, StackWalk *walk)
{
	for (StackWalk each = 0; each < STACK_WALKS; each++) {
		if (strcmp(name, names[each]) != 0)
			continue;
		*walk = each;
		return true;
	}
	return false;
}

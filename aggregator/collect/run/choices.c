/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Words of option arguments that select how a collector works, as const tables. Options and engines
 * look them up.
 */
#include "collect/run/collector.h"

#include <string.h>

const char *const stack_walk_names[] = {
	[STACK_WALK_KERNEL] = "kernel",
	[STACK_WALK_AUTO] = "auto",
	[STACK_WALK_COMPARE] = "compare",
	NULL,
};

const char *const cache_naming_names[] = {
	[CACHE_NAMES_AUTO] = "auto",
	[CACHE_NAMES_PROBES] = "probes",
	[CACHE_NAMES_COMPARE] = "compare",
	NULL,
};

int choice_lookup(const char *const *names, const char *name)
{
	for (int i = 0; names[i]; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

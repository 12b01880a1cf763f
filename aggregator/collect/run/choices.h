/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* Options of a collector whose arguments are names. */

/* How SystemTap's collector walks a stack (--stack-walk). The numbers are the values of the probe
   module's parameter kmt_stack_walk. */
typedef enum {
	STACK_WALK_KERNEL = 0,
	STACK_WALK_AUTO = 1,    /* the collector itself, the kernel where that is not possible */
	STACK_WALK_COMPARE = 2, /* both, and the results are compared */
} StackWalk;

/* How slab caches are found that a tracepoint does not record (--cache-names). */
typedef enum {
	CACHE_NAMES_AUTO,    /* the cheapest possible way */
	CACHE_NAMES_PROBES,  /* by probes at the allocator's entries */
	CACHE_NAMES_COMPARE, /* both ways, and compare the results */
} CacheNaming;

/* The arguments, by StackWalk and by CacheNaming; each list ends with NULL. */
extern const char *const stack_walk_names[];
extern const char *const cache_naming_names[];

/* Returns the index of a name in such a list; -1: it is not there. */
int choice_lookup(const char *const *names, const char *name);

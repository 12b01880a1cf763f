/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "table/view_source.h"

#include <stdbool.h>

/*
 * Whose allocations, and which, a view is made of: a condition on single counters, not on stacks.
 * What it takes away is not in the view's sums either.
 */
typedef struct {
	const char *option; /* that asks for it: "cgroup" */
	/* Returns what keeps() needs for one view; freed by dispose(). */
	void *(*prepare)(const void *argument, const ViewSource *source);
	bool (*keeps)(void *state, const ProfileCell *cell);
	/* Once every counter was judged: appends what the report should say beside how much was
	   left out, in a few words; nothing where there is nothing to say. NULL: never. */
	void (*remark)(const void *state, GString *out);
	void (*dispose)(void *state);
} CellFilterType;

typedef struct {
	const CellFilterType *type;
	const void *argument; /* borrowed */
	const char *given; /* as the user gave it, borrowed; NULL: the report says it elsewhere */
} CellFilter;

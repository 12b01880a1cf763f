/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "rank/view_source.h"

#include <stdbool.h>

/*
 * Whose allocations, and which, a view is made of: a condition on single counters, not on stacks.
 * What it takes away is not in the view's sums either.
 */
typedef struct {
	const char *option; /* that asks for it: "cgroup" */
	/* Returns what keeps() needs for one view; freed by dispose(). */
	void *(*prepare)(const void *argument, const ViewSource *source);
	bool (*keeps)(const void *state, const ProfileCell *cell);
	void (*dispose)(void *state);
} CellFilterType;

typedef struct {
	const CellFilterType *type;
	const void *argument; /* borrowed */
} CellFilter;

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A stack as one line of function names, for the details of a cache. Names of allocators are
 * skipped (filters/).
 */
#include "table/stack_rows.h"

#include "callsite_skip.h"
#include "symbols/frame_line.h"

#include <string.h>

/* Enough to distinguish the stacks of one cache; terminals show fewer. */
enum { FUNCTIONS_MAX = 8 };

static void append_function(GString *out, const Frame *frame)
{
	if (!frame->function) {
		frame_line_append_symbol(out, frame);
		return;
	}
	g_string_append(out, frame->function);
	if (!frame->module || !strcmp(frame->module, "kernel"))
		return;
	g_string_append(out, " [");
	g_string_append(out, frame->module);
	g_string_append_c(out, ']');
}

void stack_chain_append(GString *out, const FrameList *stack)
{
	guint first = 0;

	/* Skips allocators, but not the last frame: the line must not be empty. */
	while (first + 1 < stack->count && stack->frames[first].function &&
	       callsite_skip_has(NULL, stack->frames[first].function))
		first++;
	for (guint i = first; i < stack->count && i < first + FUNCTIONS_MAX; i++) {
		g_string_append(out, i > first ? " < " : "");
		append_function(out, &stack->frames[i]);
	}
}

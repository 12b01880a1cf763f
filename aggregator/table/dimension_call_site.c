/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table/dimension_kinds.h"

#include "symbols/frame_line.h"

#include <string.h>

/* The frames of a row. */
typedef struct {
	const GroupNaming *naming;
	const FrameId *ids;
	uint32_t count;
} Stack;

static Frame frame_at(const Stack *stack, uint32_t index)
{
	return stack_rows_frame(stack->naming->stacks, stack->ids[index]);
}

/* Whether a frame allocates for others. The first frame does, if it has no name. */
static bool is_skipped(const Stack *stack, uint32_t index)
{
	const char *function = frame_at(stack, index).function;

	return function ? callsite_skip_has(stack->naming->skip, function) : !index;
}

/* Returns the innermost frame of a function; the first frame if there is none. */
static uint32_t frame_of(const Stack *stack, const char *function)
{
	for (uint32_t i = 0; function && i < stack->count; i++)
		if (!g_strcmp0(frame_at(stack, i).function, function))
			return i;
	return 0;
}

/* Returns the first frame from there that does not allocate for others; else the last frame, as a
   call site is required. */
static Frame frame_outside(const Stack *stack, uint32_t from)
{
	while (from + 1 < stack->count && is_skipped(stack, from))
		from++;
	return frame_at(stack, from);
}

/* The kernel records who called the allocator, even if that function was inlined or reports its own
   caller. It does not for pages, and text lacks it, too. */
void callsite_label(const GroupNaming *naming, uint32_t id, GString *out)
{
	const Profile *profile = naming->source->profile;
	const ProfileOrigin *origin = profile_origin(profile, id);
	Stack stack = { .naming = naming };
	Frame caller = { .function = NULL };

	if (origin->call_site)
		caller = stack_rows_call_site(naming->stacks, origin->call_site,
					      profile_stack_epoch(profile, origin->stack));
	stack.ids = stack_rows_frames(naming->stacks, stack_rows_row(naming->stacks, origin->stack),
				      &stack.count);
	if (!origin->call_site ||
	    (caller.function && callsite_skip_has(naming->skip, caller.function)))
		caller = frame_outside(&stack, frame_of(&stack, caller.function));
	frame_line_append_function(out, &caller);
}

/* The stream does not have the origin of a free that was not recorded. */
void freer_label(const GroupNaming *naming, uint32_t freer, GString *out)
{
	if (!freer)
		g_string_append(out, "(held)");
	else if (freer - 1 == ORIGIN_ID_OVERFLOW)
		g_string_append(out, "(unknown)");
	else
		callsite_label(naming, freer - 1, out);
}

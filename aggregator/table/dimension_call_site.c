/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dimensions of call sites: the innermost frame that does not allocate for others, by the names
 * in filters/ and by source lines. Each origin has one; for merged runs it was found before.
 */
#include "table/dimension_kinds.h"

#include "symbols/frame_line.h"

#include <string.h>

/* Frames, innermost first. */
typedef struct {
	const GroupNaming *naming;
	const FrameId *ids;
	uint32_t count;
} Stack;

static Frame frame_at(const Stack *stack, uint32_t index)
{
	return stack_rows_frame(stack->naming->stacks, stack->ids[index]);
}

/* Functions of headers are small helpers, such as kzalloc(), that many callers have inlined. */
static bool is_inlined_helper(const Frame *frame)
{
	return frame->inlined && frame->file && g_str_has_suffix(frame->file, ".h");
}

/* Whether a frame allocates for others. */
static bool allocates_for_others(const Stack *stack, uint32_t index)
{
	Frame frame = frame_at(stack, index);

	return frame.function && (is_inlined_helper(&frame) ||
				  callsite_skip_has(stack->naming->skip, frame.function));
}

/* The first frame may be an allocator without a name. */
static bool is_skipped(const Stack *stack, uint32_t index)
{
	return allocates_for_others(stack, index) || (!index && !frame_at(stack, index).function);
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

/* Returns the frames of the code that called the allocator, as far as the kernel recorded it. */
static Stack recorded_caller(const GroupNaming *naming, const ProfileOrigin *origin)
{
	Stack caller = { .naming = naming };

	if (origin->call_site && !naming->source->merged)
		caller.ids = stack_rows_call_site(
			naming->stacks, origin->call_site,
			profile_stack_epoch(naming->source->profile, origin->stack), &caller.count);
	return caller;
}

/* The kernel records who called the allocator, even if that function was inlined or reports its own
   caller. It does not for pages, and text lacks it, too. */
static Frame find_call_site(const GroupNaming *naming, uint32_t id)
{
	const ProfileOrigin *origin = profile_origin(naming->source->profile, id);
	Stack caller = recorded_caller(naming, origin);
	Stack stack = { .naming = naming };
	const char *function = NULL;
	for (uint32_t i = 0; i < caller.count; i++)
		if (!allocates_for_others(&caller, i))
			return frame_at(&caller, i);
	if (caller.count)
		function = frame_at(&caller, caller.count - 1).function;
	stack.ids = stack_rows_frames(naming->stacks, stack_rows_row(naming->stacks, origin->stack),
				      &stack.count);
	return frame_outside(&stack, frame_of(&stack, function));
}

/* When runs are merged, it was found in the run of its own. */
static Frame call_site_of(const GroupNaming *naming, uint32_t id)
{
	const ProfileOrigin *origin = profile_origin(naming->source->profile, id);

	if (naming->source->merged && origin->call_site)
		return stack_rows_frame(naming->stacks, (FrameId)(origin->call_site - 1));
	return find_call_site(naming, id);
}

Frame dimension_call_site(const GroupNaming *naming, uint32_t origin)
{
	return call_site_of(naming, origin);
}

void callsite_label(const GroupNaming *naming, uint32_t id, GString *out)
{
	Frame caller = call_site_of(naming, id);

	frame_line_append_function(out, &caller);
}

void line_label(const GroupNaming *naming, uint32_t id, GString *out)
{
	Frame caller = call_site_of(naming, id);

	frame_line_append_line(out, &caller);
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

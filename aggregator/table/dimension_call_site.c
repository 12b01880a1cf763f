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

/* Whether a frame allocates for others. */
static bool allocates_for_others(const Stack *stack, uint32_t index)
{
	Frame frame = frame_at(stack, index);

	/* Functions of headers are small helpers, such as kzalloc(), that many callers have
	   inlined. */
	bool is_helper = frame.inlined && frame.file && g_str_has_suffix(frame.file, ".h");

	return frame.function &&
	       (is_helper || callsite_skip_has(stack->naming->skip, frame.function));
}

/* The kernel records who called the allocator, even if that function was inlined or reports its own
   caller. It does not for pages, and text lacks it, too. */
static Frame find_call_site(const GroupNaming *naming, uint32_t id)
{
	const ProfileOrigin *origin = profile_origin(naming->source->profile, id);
	Stack caller = { .naming = naming }, stack = { .naming = naming };
	const char *function = NULL;
	uint32_t at = 0;

	if (origin->call_site && !naming->source->merged)
		caller.ids = stack_rows_call_site(
			naming->stacks, origin->call_site,
			profile_stack_epoch(naming->source->profile, origin->stack), &caller.count);
	for (uint32_t i = 0; i < caller.count; i++)
		if (!allocates_for_others(&caller, i))
			return frame_at(&caller, i);
	if (caller.count)
		function = frame_at(&caller, caller.count - 1).function;
	stack.ids = stack_rows_frames(naming->stacks, stack_rows_row(naming->stacks, origin->stack),
				      &stack.count);
	/* From the innermost frame of that function, if it is there. */
	while (function && at < stack.count && g_strcmp0(frame_at(&stack, at).function, function))
		at++;
	at = function && at < stack.count ? at : 0;
	/* The first frame may be an allocator without a name; the last one is a call site. */
	while (at + 1 < stack.count &&
	       (allocates_for_others(&stack, at) || (!at && !frame_at(&stack, at).function)))
		at++;
	return frame_at(&stack, at);
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

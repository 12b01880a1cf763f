/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dimensions of what was allocated or hit: cache, stack and module; call sites; probe points
 * and the innermost frames of programs; classes of ages. A call site is the innermost frame that
 * does not allocate for others, by the names in filters/; for merged runs it was found before.
 * dimension.c has them in its table.
 */
#include "table/dimension_kinds.h"

#include "base/escape.h"
#include "symbols/frame_line.h"

#include <string.h>

void cache_label(const GroupNaming *naming, uint32_t origin, GString *out)
{
	const ViewSource *source = naming->source;
	CacheLabel cache = cache_names_of(source->caches, profile_origin(source->profile, origin));

	g_string_append(out, cache.label);
}

void stack_identify(const GroupNaming *naming, uint32_t row, GString *out)
{
	(void)naming;
	g_string_append_len(out, (const char *)&row, sizeof(row));
}

void stack_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	stack_rows_append_text(naming->stacks, row, out);
}

int stack_compare(const GroupNaming *naming, uint32_t a, uint32_t b)
{
	return stack_rows_compare(naming->stacks, a, b);
}

void module_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	bool any_name = false;
	/* Their frames without an address are of programs. */
	bool is_of_hits = naming->source->points && point_list_count(naming->source->points);
	uint32_t count;
	const FrameId *ids = stack_rows_frames(naming->stacks, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		Frame frame = stack_rows_frame(naming->stacks, ids[i]);

		any_name |= frame.function != NULL;
		if (!frame.module || !strcmp(frame.module, "kernel") ||
		    (is_of_hits && frame_is_of_program(&frame)))
			continue;
		g_string_append(out, frame.module);
		return;
	}
	g_string_append(out, any_name ? "(kernel)" : "(unknown module)");
}

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
Frame dimension_call_site(const GroupNaming *naming, uint32_t id)
{
	const ProfileOrigin *origin = profile_origin(naming->source->profile, id);

	if (naming->source->merged && origin->call_site)
		return stack_rows_frame(naming->stacks, (FrameId)(origin->call_site - 1));
	return find_call_site(naming, id);
}

void callsite_label(const GroupNaming *naming, uint32_t id, GString *out)
{
	Frame caller = dimension_call_site(naming, id);

	frame_line_append_function(out, &caller);
}

void line_label(const GroupNaming *naming, uint32_t id, GString *out)
{
	Frame caller = dimension_call_site(naming, id);

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

void point_label(const GroupNaming *naming, uint32_t origin, GString *out)
{
	const ViewSource *source = naming->source;
	const ProfileOrigin *of = profile_origin(source->profile, origin);
	const char *name = NULL;

	if (of->source == KMT_SOURCE_POINT && source->points)
		name = point_list_get(source->points, of->point).name;
	escape_append(out, name ? name : "(unknown point)");
}

/* Finds the innermost frame of a program: these have no address. */
static bool find_user_frame(const GroupNaming *naming, uint32_t row, Frame *frame)
{
	uint32_t count;
	const FrameId *ids = stack_rows_frames(naming->stacks, row, &count);

	for (uint32_t i = 0; i < count; i++) {
		*frame = stack_rows_frame(naming->stacks, ids[i]);
		if (frame_is_of_program(frame))
			return true;
	}
	return false;
}

static const char no_user_stack[] = "(no user stack)";

static void append_user_frame(const GroupNaming *naming, uint32_t row, GString *out,
			      void (*append)(GString *out, const Frame *frame))
{
	Frame frame;

	if (find_user_frame(naming, row, &frame))
		append(out, &frame);
	else
		g_string_append(out, no_user_stack);
}

void user_callsite_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	append_user_frame(naming, row, out, frame_line_append_function);
}

void user_line_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	append_user_frame(naming, row, out, frame_line_append_line);
}

void mapping_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	Frame frame;

	g_string_append(out, find_user_frame(naming, row, &frame) ? frame.module : no_user_stack);
}

void age_label(const GroupNaming *naming, uint32_t age_class, GString *out)
{
	(void)naming;
	held_age_append(age_class, out);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dimensions of hits: probe point, and the innermost frame of the program. dimension.c has them
 * in its table.
 */
#include "table/dimension_kinds.h"

#include "base/escape.h"
#include "symbols/frame_line.h"

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

void user_callsite_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	Frame frame;

	if (find_user_frame(naming, row, &frame))
		frame_line_append_function(out, &frame);
	else
		g_string_append(out, no_user_stack);
}

void user_line_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	Frame frame;

	if (find_user_frame(naming, row, &frame))
		frame_line_append_line(out, &frame);
	else
		g_string_append(out, no_user_stack);
}

void mapping_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	Frame frame;

	g_string_append(out, find_user_frame(naming, row, &frame) ? frame.module : no_user_stack);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/group_key_kinds.h"

#include "symbols/frame_line.h"

static TextPart function_at(const GroupNaming *naming, uint32_t row, uint32_t index)
{
	return frame_line_parse(stack_rows_line(naming->stacks, row, index)).name;
}

/* Whether a frame is one of what allocates for others; so is the first, if nobody names it. */
static bool is_skipped(const GroupNaming *naming, uint32_t row, uint32_t index)
{
	TextPart function = function_at(naming, row, index);
	g_autofree char *name = g_strndup(function.text, function.length);

	return *name ? callsite_skip_has(naming->skip, name) : !index;
}

/* Returns the innermost frame of a function; the first where it has none. */
static uint32_t frame_of(const GroupNaming *naming, uint32_t row, const char *function)
{
	for (uint32_t i = 0; function && stack_rows_line(naming->stacks, row, i); i++)
		if (text_part_is(function_at(naming, row, i), function))
			return i;
	return 0;
}

/* Returns the first frame from there that is outside of what allocates for others, or the last:
   somebody must be named. */
static const char *frame_outside(const GroupNaming *naming, uint32_t row, uint32_t from)
{
	while (stack_rows_line(naming->stacks, row, from + 1) && is_skipped(naming, row, from))
		from++;
	return stack_rows_line(naming->stacks, row, from);
}

/* Appends what a printed frame says of its function, as FunctionNames would. */
static void append_function(GString *out, const char *line)
{
	static const TextPart kernel = { "kernel", 6 };
	FrameLine frame = frame_line_parse(line);
	TextPart module = frame.module.length ? frame.module : kernel;

	if (!frame.name.length && !frame.module.length) {
		g_string_append_len(out, frame.whole.text, (gssize)frame.whole.length);
		return;
	}
	g_string_append_len(out, frame.name.text, (gssize)frame.name.length);
	g_string_append_printf(out, "%s[%.*s]", frame.name.length ? " " : "", (int)module.length,
			       module.text);
}

/* The kernel tells who called the allocator: also where that was inlined, or is one that names its
   own caller. It does not for pages, nor does text. */
void callsite_label(const GroupNaming *naming, uint32_t id, GString *out)
{
	const Profile *profile = naming->source->profile;
	const ProfileOrigin *origin = profile_origin(profile, id);
	uint32_t row = stack_rows_row(naming->stacks, origin->stack);
	FunctionName told = { .label = NULL };

	if (origin->call_site)
		told = function_names_of(naming->functions, origin->call_site,
					 profile_stack_epoch(profile, origin->stack));
	if (told.label && !(told.name && callsite_skip_has(naming->skip, told.name)))
		g_string_append(out, told.label);
	else
		append_function(out, frame_outside(naming, row, frame_of(naming, row, told.name)));
}

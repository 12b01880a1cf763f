/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/group_key_kinds.h"

#include "symbols/frame_line.h"

static const ProfileOrigin *origin_of(const GroupNaming *naming, uint32_t origin)
{
	return profile_origin(naming->source->profile, origin);
}

void cache_label(const GroupNaming *naming, uint32_t origin, GString *out)
{
	CacheLabel cache = cache_names_of(naming->source->caches, origin_of(naming, origin));

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

static void append_part(GString *out, TextPart part)
{
	g_string_append_len(out, part.text, (gssize)part.length);
}

/* Appends what a printed frame says of its function: "tcp_sendmsg [kernel]". */
static void append_function(GString *out, const char *line)
{
	FrameLine frame = frame_line_parse(line);

	append_part(out, frame.name.length ? frame.name : frame.whole);
	if (!frame.name.length)
		return;
	g_string_append(out, " [");
	if (frame.module.length)
		append_part(out, frame.module);
	else
		g_string_append(out, "kernel");
	g_string_append_c(out, ']');
}

/* The frame after the allocator's own. */
static const char *caller_line(const GroupNaming *naming, StackId stack)
{
	uint32_t row = stack_rows_row(naming->stacks, stack);
	const char *caller = stack_rows_line(naming->stacks, row, 1);

	return caller ? caller : stack_rows_line(naming->stacks, row, 0);
}

void callsite_label(const GroupNaming *naming, uint32_t id, GString *out)
{
	const ProfileOrigin *origin = origin_of(naming, id);
	uint32_t epoch;

	/* The page allocator does not tell who called it, nor does text. */
	if (!origin->call_site) {
		append_function(out, caller_line(naming, origin->stack));
		return;
	}
	epoch = profile_stack_epoch(naming->source->profile, origin->stack);
	g_string_append(out, function_names_of(naming->functions, origin->call_site, epoch));
}

void module_label(const GroupNaming *naming, uint32_t row, GString *out)
{
	bool any_name = false;
	const char *line;

	for (uint32_t i = 0; (line = stack_rows_line(naming->stacks, row, i)); i++) {
		FrameLine frame = frame_line_parse(line);

		any_name |= frame.name.length > 0;
		if (!frame.module.length || text_part_is(frame.module, "kernel"))
			continue;
		append_part(out, frame.module);
		return;
	}
	g_string_append(out, any_name ? "(kernel)" : "(unknown module)");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The dimensions that follow from an origin: cache, stack and module. dimension.c has them in its
 * table.
 */
#include "table/dimension_kinds.h"

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the three importers of held objects have in common: frame lines, a search from the end,
 * names of processes.
 */
#include "import/import_held.h"

#include "record/event_kinds.h"
#include "config.h"

#include "import/import_stack_line.h"

#include <string.h>

bool held_frame_append(GString *stack, const char *line, size_t length)
{
	gsize start = stack->len;
	Cursor at = cursor_over(line, length);
	uint64_t number;
	StackLineKind kind = stack_line_kind(line, length, &number);

	if (kind != LINE_NAME && kind != LINE_FRAME)
		return false;
	cursor_skip_blanks(&at);
	g_string_append_c(stack, ' ');
	if (stack_line_append(stack, LINE_FRAME, at.at, (size_t)(at.end - at.at)))
		return true;
	g_string_truncate(stack, start);
	return false;
}

const char *held_find_last(const char *text, size_t length, const char *sought)
{
	size_t sought_bytes = strlen(sought);

	for (size_t at = length; at >= sought_bytes; at--)
		if (!memcmp(text + at - sought_bytes, sought, sought_bytes))
			return text + at - sought_bytes;
	return NULL;
}

void held_copy_comm(char *to, const char *name, size_t length)
{
	memcpy(to, name, strnlen(name, MIN(length, KMT_COMM_BYTES)));
}

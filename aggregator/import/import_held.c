/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include "import/import_held.h"

#include "import/import_stack_line.h"
#include "record/format.h"

#include <string.h>

enum { LINES_TESTED_MAX = 64 };

bool held_frame_append(GString *stack, const char *line, size_t length)
{
	gsize start = stack->len;
	Cursor at = cursor_over(line, length);
	uint64_t number;
	StackLineKind kind = stack_line_kind(line, length, &number);

	if (kind != LINE_NAME && kind != LINE_FRAME && kind != LINE_OWN_FRAME)
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

bool held_any_line(const char *text, size_t length, bool (*test)(const char *line, size_t length))
{
	const char *at = text, *end = text + length;

	if (memchr(text, '\0', length))
		return false;
	for (int lines = 0; at < end && lines < LINES_TESTED_MAX; lines++) {
		const char *newline = import_line_end(at, end);
		const char *line_end = newline ? newline : end;

		if (test(at, import_trimmed(at, (size_t)(line_end - at))))
			return true;
		at = newline ? newline + 1 : end;
	}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/stack_chain.h"

#include "callsite_skip.h"
#include "symbols/frame_line.h"

/* As many as tell stacks of one cache apart; a terminal has room for fewer. */
enum { FUNCTIONS_MAX = 8 };

static bool is_allocator(const char *line)
{
	TextPart function = frame_line_parse(line).name;
	g_autofree char *name = g_strndup(function.text, function.length);

	return *name && callsite_skip_has(NULL, name);
}

/* Somebody must be named: the last one is not left out. */
static char **first_outside(char **line)
{
	while (line[0] && line[1] && *line[1] && is_allocator(line[0]))
		line++;
	return line;
}

static void append_part(GString *out, TextPart part)
{
	g_string_append_len(out, part.text, (gssize)part.length);
}

static void append_function(GString *out, const char *line)
{
	FrameLine frame = frame_line_parse(line);

	append_part(out, frame.name.length ? frame.name : frame.whole);
	if (!frame.name.length || !frame.module.length || text_part_is(frame.module, "kernel"))
		return;
	g_string_append(out, " [");
	append_part(out, frame.module);
	g_string_append_c(out, ']');
}

void stack_chain_append(GString *out, const char *frames)
{
	g_auto(GStrv) lines = g_strsplit(frames, "\n", -1);
	char **line = first_outside(lines);

	for (int i = 0; line[i] && *line[i] && i < FUNCTIONS_MAX; i++) {
		g_string_append(out, i ? " < " : "");
		append_function(out, line[i]);
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An input that is being imported: what all importers share. Cuts a text into lines for those that
 * read lines. A line above the bound is skipped and counted once. input.c calls it.
 */
#include "config.h"

#include "import/import.h"

#include <string.h>

enum { LINE_BYTES_MAX = 64 * 1024 };

/* An ImportConsumer. */
static size_t consume_lines(void *state, const char *text, size_t length, bool full)
{
	Import *import = state;
	const char *newline = memrchr(text, '\n', length);
	size_t used = newline ? (size_t)(newline + 1 - text) : 0;
	Cursor rest = cursor_over(text, used), line;

	for (const char *start = text; import_next_line(&rest, &line); start = rest.at) {
		bool is_long = rest.at - start > LINE_BYTES_MAX;

		if (is_long && !import->in_long_line)
			import->unreadable++;
		else if (!import->in_long_line)
			import->type->line(import, line.at, (size_t)(line.end - line.at));
		import->in_long_line = false;
	}
	if (used || !full)
		return used;
	import->unreadable += !import->in_long_line;
	import->in_long_line = true;
	return length;
}

Import *import_begin(const ImportType *type, Session *session)
{
	Import *import = g_malloc0(type->state_bytes);

	import->type = type;
	import->session = session;
	import->stack = g_string_new(NULL);
	session->is_held |= type->is_held;
	if (type->consume)
		import_carry_init(&import->carry, type->piece_bytes_max, type->consume, import);
	else
		import_carry_init(&import->carry, LINE_BYTES_MAX, consume_lines, import);
	if (type->begin)
		type->begin(import);
	return import;
}

void import_feed(Import *import, const char *text, size_t length)
{
	import_carry_feed(&import->carry, text, length);
}

uint64_t import_finish(Import *import)
{
	uint64_t unreadable;

	import_carry_finish(&import->carry);
	if (import->type->end)
		import->type->end(import);
	unreadable = import->unreadable;
	g_string_free(import->stack, TRUE);
	g_free(import);
	return unreadable;
}

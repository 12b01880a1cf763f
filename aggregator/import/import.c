/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all importers share. An input that is being imported: cuts a text into lines for those that
 * read lines; a line above the bound is skipped and counted once; input.c calls it. The one way
 * from importers to the session: which frames of a stack count, and which events. The page size of
 * a text's kernel.
 */
#include "config.h"

#include "import/import.h"

#include "record/format.h"
#include "symbols/frame_line.h"
#include "symbols/known_functions.h"

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
	if (type->is_held)
		counter_count_readings(session);
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

/* To the session. */

/* Returns the stack from the traced function on. The frames of a tracer's functions may include
   inlined ones, and BPF code without a name. Nothing is between the first tracer's frame and the
   last one but tracers. */
static TextPart without_tracers(TextPart stack)
{
	TextPart rest = stack, traced = stack, line;

	while (text_part_next_line(&rest, &line)) {
		FrameLine frame = frame_line_parse(line);

		if (tracer_modules_have(frame.module) || tracer_functions_have(frame.function))
			traced = rest;
		else if (!frame.inlined && !(frame.address_digits && !frame.function.length))
			break;
	}
	return traced.length ? traced : stack;
}

/* Returns the next function that was not inlined. perf script prints inlined functions with an
   address but without the kernel or a module. Length 0: unknown name. */
static TextPart next_function(TextPart *rest)
{
	TextPart line;

	while (text_part_next_line(rest, &line)) {
		FrameLine frame = frame_line_parse(line);

		if (frame.module.length || !frame.address_digits)
			return frame.function;
	}
	return (TextPart){ NULL, 0 };
}

void import_count(Session *session, const EventText *events)
{
	TextPart stack = without_tracers((TextPart){ events->text, events->length });
	EventText counted = *events;
	TextPart rest = stack;

	if (inner_kmallocs_begin_with(next_function(&rest)) &&
	    inner_kmallocs_may_have_function(next_function(&rest)))
		return;
	counted.text = stack.text;
	counted.length = (uint32_t)stack.length;
	session_take_text(session, &counted);
}

void import_take_held(Session *session, const HeldObjects *objects)
{
	TextPart stack = without_tracers((TextPart){ objects->text, objects->length });
	HeldObjects taken = *objects;

	taken.text = stack.text;
	taken.length = (uint32_t)stack.length;
	session_take_held(session, &taken);
}

/* Page sizes. */

/* Texts do not contain it, but some have the architecture and the release. Where an architecture
   has kernels with several page sizes, distributions name those of the unusual size. */
static const struct {
	const char *arch;
	const char *release; /* part of it; "": any */
	uint64_t bytes;
	bool is_certain; /* the architecture has no other */
} sizes[] = {
	{ "x86_64", "", 4096, true },
	{ "i386", "", 4096, true },
	{ "i686", "", 4096, true },
	{ "s390x", "", 4096, true },
	{ "riscv64", "", 4096, true },
	{ "aarch64", "64k", 65536, true }, /* RHEL 9, Ubuntu, SUSE, Debian */
	{ "aarch64", "16k", 16384, true }, /* Debian, Fedora on Apple's machines */
	{ "aarch64", ".el7", 65536, false },
	{ "aarch64", ".el8", 65536, false },
	{ "ppc64le", "", 65536, false },
	{ "ppc64", "", 65536, false },
	{ "loongarch64", "", 16384, false },
};

enum { PAGE_BYTES_USUAL = 4096 };

uint64_t import_page_bytes(Session *session)
{
	const char *arch = run_info_text(session->info, KMT_FIELD_ARCH);
	const char *release = run_info_text(session->info, KMT_FIELD_RELEASE);
	uint64_t bytes = run_info_number(session->info, KMT_FIELD_PAGE_BYTES, 0);
	bool is_certain = false;

	if (bytes)
		return bytes;
	bytes = PAGE_BYTES_USUAL;
	for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
		if (g_strcmp0(arch, sizes[i].arch) ||
		    !strstr(release ? release : "", sizes[i].release))
			continue;
		bytes = sizes[i].bytes;
		is_certain = sizes[i].is_certain;
		break;
	}
	session->page_bytes_assumed = !is_certain;
	session_set_number(session, KMT_FIELD_PAGE_BYTES, bytes);
	return bytes;
}

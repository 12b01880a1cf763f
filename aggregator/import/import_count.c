/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one way from importers to the session: which frames of a stack count, and which events. No
 * state.
 */
#include "import/import_count.h"

#include "symbols/frame_line.h"
#include "symbols/known_functions.h"

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

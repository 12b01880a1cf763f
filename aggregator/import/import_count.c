/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "import/import_count.h"

#include "symbols/frame_line.h"
#include "symbols/inner_kmallocs_find.h"

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

bool import_is_inner(const char *stack, size_t length)
{
	TextPart rest = { stack, length };

	return inner_kmallocs_begin_with(next_function(&rest)) &&
	       inner_kmallocs_go_on_with(next_function(&rest));
}

void import_count(Session *session, const EventText *events)
{
	if (!import_is_inner(events->text, events->length))
		session_take_text(session, events);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When two frames are the same: all fields for frames with an address, the line for frames from
 * text.
 */
#include "symbols/frame.h"

#include <string.h>

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* For a frame from text, the line contains all fields. */
bool frame_equals(const Frame *a, const Frame *b)
{
	if (a->text || b->text)
		return same_text(a->text, b->text);
	return a->address == b->address && a->offset == b->offset && a->bytes == b->bytes &&
	       a->line == b->line && a->address_digits == b->address_digits &&
	       a->inlined == b->inlined && a->has_offset == b->has_offset &&
	       same_text(a->function, b->function) && same_text(a->module, b->module) &&
	       same_text(a->file, b->file);
}

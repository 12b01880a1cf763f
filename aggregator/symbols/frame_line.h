/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame.h"
#include "base/text_part.h"

#include <glib.h>

/*
 * A frame as a line of text. Renderers print it, importers read it; nothing in between does:
 *
 *      0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]
 */

/* What a line says, ours or another tool's; the parts point into it. What it does not say is 0. */
typedef struct {
	TextPart function;
	TextPart module; /* "kernel", "ext4" */
	uint64_t address;
	uint64_t offset;
	uint64_t bytes;
	uint8_t address_digits; /* 0: it has no address */
	bool has_offset;        /* in the function */
	bool inlined; /* as perf script prints it: an address, but no offset and no module */
} FrameLine;

/* Takes a line apart. */
FrameLine frame_line_parse(TextPart line);

/* Appends the line of a frame, without an end. */
void frame_line_append(GString *out, const Frame *frame);

/* The same for a frame that did not come as text, with the lengths of its names: measuring them
   would take most of the time of a long report. */
void frame_line_append_sized(GString *out, const Frame *frame, size_t function_bytes,
			     size_t module_bytes);

/* Appends the same without the address, "__kmalloc+0x0/0x9f [kernel]", where the function is known,
   and without blanks around it. */
void frame_line_append_symbol(GString *out, const Frame *frame);

/* Appends the line without blanks around it. */
void frame_line_append_stripped(GString *out, const Frame *frame);

/* Appends the function: "tcp_sendmsg [kernel]", "[ext4]" where only the module is known,
   else the line without blanks around it. */
void frame_line_append_function(GString *out, const Frame *frame);

/* Orders frames by their lines, as strcmp() would. */
int frame_line_compare(const Frame *a, const Frame *b);

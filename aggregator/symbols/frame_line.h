/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/frame.h"
#include "base/text_part.h"

#include <glib.h>

/*
 * A frame as a line of text. Only renderers print it, and only importers parse it:
 *
 *      0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]
 *      0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel] mm/slab_common.c:983
 *      0xffffffff8012c1a0 : kzalloc (inlined) [kernel] include/linux/slab.h:733
 */

/* What follows the name of a function that was inlined. */
#define FRAME_INLINED_MARK " (inlined)"

/* How a line with the text of a source line begins, which may follow the line of a frame. */
#define FRAME_SOURCE_MARK "\t| "

/* The parts of a line, ours or another tool's; they point into it. Missing parts are 0. */
typedef struct {
	TextPart function;
	TextPart module; /* "kernel", "ext4" */
	TextPart file;   /* of the source */
	uint32_t line;   /* in that file */
	uint64_t address;
	uint64_t offset;
	uint64_t bytes;
	uint8_t address_digits; /* 0: no address */
	bool has_offset;        /* in the function */
	bool inlined;           /* marked so, or as in perf script: no offset and no module */
} FrameLine;

/* Parses a line. */
FrameLine frame_line_parse(TextPart line);

/* Appends the line of a frame, without a line end. */
void frame_line_append(GString *out, const Frame *frame);

/* Like frame_line_append(), for a frame that is not from text, with the lengths of its names: to
   measure them would take most of the time of a long report. */
void frame_line_append_sized(GString *out, const Frame *frame, size_t function_bytes,
			     size_t module_bytes);

/* Appends the place in the source as it follows a frame, " fs/pipe.c:798"; without the line if that
   is 0: unknown. Appends nothing if the file is NULL: unknown. */
void frame_line_append_source(GString *out, const char *file, uint32_t line);

/* Appends the place in the source; where it is not known, like frame_line_append_function(). */
void frame_line_append_line(GString *out, const Frame *frame);

/* Appends the line without the address, "__kmalloc+0x0/0x9f [kernel]", if the function is known;
   without blanks at the ends. */
void frame_line_append_symbol(GString *out, const Frame *frame);

/* Appends the line without blanks at its ends. */
void frame_line_append_stripped(GString *out, const Frame *frame);

/* Appends the function: "tcp_sendmsg [kernel]"; "[ext4]" if only the module is known; else the line
   without blanks at its ends. */
void frame_line_append_function(GString *out, const Frame *frame);

/* Appends the name of the function, "tcp_sendmsg", as other programs show it in pictures; where it
   is not known, like frame_line_append_function(). */
void frame_line_append_name(GString *out, const Frame *frame);

/* Appends a line without address and offset, which is the same for all builds of a kernel:
   " tcp_sendmsg [kernel] net/ipv4/tcp.c:1234". */
void frame_line_append_plain(GString *out, const Frame *frame);

/* Orders frames by their lines, in strcmp() order. */
int frame_line_compare(const Frame *a, const Frame *b);

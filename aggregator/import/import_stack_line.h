/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses the lines that SystemTap's print_stack(), print_backtrace() and similar functions print.
 */

typedef enum {
	LINE_BLANK,
	LINE_OTHER,
	LINE_COUNT,     /* a number and nothing else */
	LINE_FRAME,     /* an address, with a name or without */
	LINE_SHORT,     /* a small number where an address should be: junk at a stack's end */
	LINE_NAME,      /* "foo+0x25 [ext4]": what sprint_stack() leaves of a frame */
	LINE_OWN_FRAME, /* in a SystemTap module: a frame of the tracer */
	LINE_ADDRESSES, /* backtrace(): a whole stack in one line */
	LINE_NO_STACK,  /* <no kernel backtrace at ...> */
} StackLineKind;

/* Returns the kind of a line, which has no trailing blanks. *count: the number of a LINE_COUNT. */
StackLineKind stack_line_kind(const char *line, size_t length, uint64_t *count);

/* Whether it is a frame, or several. */
bool stack_line_is_frame(StackLineKind kind);

/* Appends a frame line as a stack keeps it, or nothing where it is the tracer's own at the top.
   Returns false, appending nothing, when the stack is too long. */
bool stack_line_append(GString *stack, StackLineKind kind, const char *line, size_t length);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Parses the output lines of SystemTap's print_stack(), print_backtrace() and similar functions. */

typedef enum {
	LINE_BLANK,
	LINE_OTHER,
	LINE_COUNT,     /* only a number */
	LINE_FRAME,     /* an address, with or without a name */
	LINE_SHORT,     /* a small number instead of an address: junk at a stack's end */
	LINE_NAME,      /* "foo+0x25 [ext4]": the form of a frame in sprint_stack() */
	LINE_ADDRESSES, /* backtrace(): a complete stack in one line */
	LINE_NO_STACK,  /* <no kernel backtrace at ...> */
} StackLineKind;

/* Returns the kind of a line without trailing blanks. *count: the number of a LINE_COUNT. */
StackLineKind stack_line_kind(const char *line, size_t length, uint64_t *count);

/* Whether the line has one or more frames. */
bool stack_line_is_frame(StackLineKind kind);

/* Appends a frame line in the format of a stack. Returns false, appending nothing, if the stack is
   too long. */
bool stack_line_append(GString *stack, StackLineKind kind, const char *line, size_t length);

/* Appends a frame of a kernel's record, "        foo+0x10/0x20 [ext4]", with one blank before it.
   Returns false, appending nothing, if the line is no frame or the stack is too long. */
bool held_frame_append(GString *stack, const char *line, size_t length);

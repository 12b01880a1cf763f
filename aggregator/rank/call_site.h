/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "callsite_skip.h"

#include <glib.h>
#include <stddef.h>

/* Where an allocation is attributed to: a frame of its stack. Borrowed from the stack's text. */
typedef struct {
	const char *text; /* "alloc_pipe_info+0x20/0x100 [kernel]"; without a symbol the address */
	size_t length;
	const char *symbol; /* "alloc_pipe_info"; NULL: it has none */
	size_t symbol_bytes;
} CallSite;

/* Takes a frame line apart, as printed: " 0xffffffff81000420 : alloc_pipe_info+0x20/0x100 [kernel]"
   or any other form that print_stack() has; length is without the line end. */
CallSite call_site_of_line(const char *line, size_t length);

/* Returns the first frame outside of the functions that allocate for others; the last where there
   is none outside. stack is its lines, each ended by '\n', innermost first; skip may be NULL:
   allocators only. An empty stack has an empty text. */
CallSite call_site_of_stack(const char *stack, const CallsiteSkip *skip);

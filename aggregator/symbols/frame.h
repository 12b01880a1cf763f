/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/*
 * One frame of a named stack. An address may have several frames: the functions inlined there.
 * Filters, groups and labels use these fields; symbols/frame_line.h prints them.
 *
 * All strings are escaped for printing. They belong to the creator of the frame.
 */
typedef struct {
	const char *text; /* the line of a frame from text; NULL: the fields describe the frame */
	uint64_t address;
	uint64_t offset;        /* in the function; if only the module is known, in the module */
	uint64_t bytes;         /* size of that function or module; 0: unknown */
	const char *function;   /* NULL: unknown */
	const char *module;     /* "ext4"; "kernel" for built-in code; NULL: unknown */
	const char *file;       /* source file; NULL: unknown */
	uint32_t line;          /* in that file; 0: unknown */
	const char *source;     /* the text of that line; NULL: unknown */
	uint8_t address_digits; /* as printed: 16 or 8; in text any number; 0: no address */
	bool has_offset;        /* false: the offset in the function is unknown */
	bool inlined;           /* into the next frame */
	bool of_kernel;         /* a frame of the kernel, though it has no address */
} Frame;

static inline bool frame_texts_equal(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* Whether all fields of two frames are equal; strings are compared by content. The line of a frame
   from text contains all fields. */
static inline bool frame_equals(const Frame *a, const Frame *b)
{
	if (a->text || b->text)
		return frame_texts_equal(a->text, b->text);
	return a->address == b->address && a->offset == b->offset && a->bytes == b->bytes &&
	       a->line == b->line && a->address_digits == b->address_digits &&
	       a->inlined == b->inlined && a->has_offset == b->has_offset &&
	       frame_texts_equal(a->function, b->function) &&
	       frame_texts_equal(a->module, b->module) && frame_texts_equal(a->file, b->file);
}

/* Whether a frame of a hit is one of a program: only these have no address. */
static inline bool frame_is_of_program(const Frame *frame)
{
	return frame->module && !frame->address_digits && !frame->of_kernel;
}

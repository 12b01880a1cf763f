/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/*
 * One frame of a stack after naming. An address may have several: functions that were inlined where
 * it lies. Filters, groups and labels use these fields; symbols/frame_line.h prints them.
 *
 * All strings are escaped, so that they can be printed. They belong to whoever made the frame.
 */
typedef struct {
	const char *text; /* of a frame that came as text: its line; NULL: the fields make it */
	uint64_t address;
	uint64_t offset;        /* in the function; where only the module is known, in the module */
	uint64_t bytes;         /* size of that function or module; 0: not known */
	const char *function;   /* NULL: not known */
	const char *module;     /* "ext4"; of built-in code "kernel"; NULL: not known */
	const char *file;       /* of the source; NULL: not known */
	uint32_t line;          /* in that file; 0: not known */
	uint8_t address_digits; /* as it is printed: 16 or 8, of a text what it has; 0: no address
				 */
	bool has_offset;        /* false: the offset in the function is not known */
	bool inlined;           /* into the frame that follows */
} Frame;

/* Whether two frames are the same in every field; strings are compared by what they hold. */
bool frame_equals(const Frame *a, const Frame *b);

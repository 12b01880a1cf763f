/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "symbols/text_part.h"

/*
 * A frame line as printed, ours or an imported one, taken apart; the parts point into it:
 *
 *      0xffffffff800d9d3b : __kmalloc+0x0/0x9f [kernel]
 */
typedef struct {
	TextPart name;   /* of the function; of length 0: not known */
	TextPart module; /* "kernel", "ext4"; of length 0: not told */
	TextPart whole;  /* the line without blanks around it */
} FrameLine;

FrameLine frame_line_parse(const char *line);

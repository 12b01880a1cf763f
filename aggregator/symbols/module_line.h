/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

/* A parsed line "NAME BYTES ADDRESS BUILD-ID" of a `modules` batch; the parts point into it. */
typedef struct {
	TextPart name;
	uint64_t bytes;    /* of all parts of the module, which need not follow its address */
	uint64_t address;  /* 0: hidden, or the kernel itself */
	TextPart build_id; /* untrusted; "-" or length 0: unknown */
} ModuleLine;

/* Returns false if the line has another format. */
bool module_line_parse(TextPart line, ModuleLine *parsed);

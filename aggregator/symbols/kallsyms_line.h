/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

/* A line "ADDRESS TYPE NAME[\t[MODULE]]" taken apart; the parts point into it. */
typedef struct {
	uint64_t address;
	char type;
	TextPart name;
	TextPart module; /* of length 0: built in */
} KallsymsLine;

/* Returns false when the line is none. */
bool kallsyms_line_parse(TextPart line, KallsymsLine *parsed);

/* Whether the symbol is code: global, local or weak text. */
bool kallsyms_line_is_text(const KallsymsLine *parsed);

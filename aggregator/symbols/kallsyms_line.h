/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"

/* A parsed line "ADDRESS TYPE NAME[\t[MODULE]]"; the parts point into it. */
typedef struct {
	uint64_t address;
	char type;
	TextPart name;
	TextPart module; /* length 0: built in */
} KallsymsLine;

/* Returns false if the line has another format. */
bool kallsyms_line_parse(TextPart line, KallsymsLine *parsed);

/* Whether the symbol is code: global, local or weak text. */
bool kallsyms_line_is_text(const KallsymsLine *parsed);

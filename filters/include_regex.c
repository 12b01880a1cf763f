/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --include-regex: keeps a stack with a frame that matches. State: the compiled expression
 * (line_regex.c).
 */
#include "filter_kinds.h"

#include "line_regex.h"

const FilterType include_regex_filter = {
	.option = "include-regex",
	.prepare = line_regex_prepare,
	.matches = line_regex_matches,
	.dispose = line_regex_dispose,
};

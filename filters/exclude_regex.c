/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --exclude-regex: drops a stack with a frame that matches. State: the compiled expression
 * (line_regex.c).
 */
#include "filter_kinds.h"

#include "line_regex.h"

const FilterType exclude_regex_filter = {
	.option = "exclude-regex",
	.prepare = line_regex_prepare,
	.matches = line_regex_matches,
	.drops_matches = true,
	.dispose = line_regex_dispose,
};

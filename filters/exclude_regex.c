/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter_kinds.h"

#include "line_regex.h"

const FilterType exclude_regex_filter = {
	.option = "exclude-regex",
	.prepare = line_regex_prepare,
	.matches = line_regex_matches,
	.drops_matches = true,
	.dispose = line_regex_dispose,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter_kinds.h"

#include "line_regex.h"

static bool keeps(const Filter *filter, const StackSummary *stack)
{
	return !line_regex_matches(filter, stack);
}

const FilterType exclude_regex_filter = {
	.option = "exclude-regex",
	.prepare = line_regex_prepare,
	.keeps = keeps,
	.dispose = line_regex_dispose,
};

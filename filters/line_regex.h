/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "filter.h"

/* What the filters with a regular expression share: the state is a GRegex that ^ and $ bind to
   single lines. */
bool line_regex_prepare(Filter *filter, GError **error);
void line_regex_dispose(void *state);

bool line_regex_matches(const Filter *filter, const char *line);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "filter.h"

/* Shared by the filters with a regular expression. The state is a GRegex in which ^ and $ match at
   single lines. */
bool line_regex_prepare(Filter *filter, GError **error);
void line_regex_dispose(void *state);

/* Whether the expression matches the line. */
bool line_regex_matches(const Filter *filter, const char *line);

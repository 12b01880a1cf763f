/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compiles and applies the regular expression of the two filters that have one. exclude_regex.c and
 * include_regex.c call it.
 */
#include "line_regex.h"

bool line_regex_prepare(Filter *filter, GError **error)
{
	g_autoptr(GError) reason = NULL;
	/* Raw: frame lines are bytes, and need not be valid UTF-8. */
	GRegex *regex =
		g_regex_new(filter->argument,
			    G_REGEX_OPTIMIZE | G_REGEX_MULTILINE | G_REGEX_RAW | G_REGEX_NEWLINE_LF,
			    0, &reason);

	filter->state = regex;
	if (regex)
		return true;
	g_set_error(error, filter_error_quark(), 0, "'%s' is not a valid regular expression: %s",
		    filter->argument, reason->message);
	return false;
}

void line_regex_dispose(void *state)
{
	g_regex_unref(state);
}

bool line_regex_matches(const Filter *filter, const char *line)
{
	return g_regex_match(filter->state, line, 0, NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "line_regex.h"

#include <string.h>

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

/* Line by line: a class such as [^x] or \s would otherwise match across the line's end. */
bool line_regex_matches(const Filter *filter, const StackSummary *stack)
{
	const char *line = stack->text;

	while (*line) {
		const char *end = strchr(line, '\n');
		gssize length = end ? end - line : (gssize)strlen(line);

		if (g_regex_match_full(filter->state, line, length, 0, 0, NULL, NULL))
			return true;
		line += length + (end != NULL);
	}
	return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses whole numbers and sizes strictly, for filters and options. filter.c and option_values.c
 * call it.
 */
#include "number.h"

#include <glib.h>
#include <string.h>

bool number_parse(const char *text, uint64_t *value, const char **rest)
{
	uint64_t number = 0;
	const char *at = text;

	for (; g_ascii_isdigit(*at); at++) {
		uint64_t digit = (uint64_t)(*at - '0');

		if (number > (UINT64_MAX - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*value = number;
	*rest = at;
	return at != text;
}

/* Each step is 1024 times the one before. */
static const char suffixes[] = "KMG";

bool number_parse_bytes(const char *text, uint64_t *bytes)
{
	const char *rest, *suffix;
	unsigned shift;

	if (!number_parse(text, bytes, &rest))
		return false;
	if (!*rest)
		return true;
	suffix = strchr(suffixes, g_ascii_toupper(*rest));
	if (!suffix || rest[1])
		return false;
	shift = 10 * (unsigned)(suffix - suffixes + 1);
	if (*bytes > UINT64_MAX >> shift)
		return false;
	*bytes <<= shift;
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Matches a glob without recursion: on a mismatch only the last star takes one character more.
 * Called by expression.c for the operator that compares texts, for each hit.
 */
#include "probes/expression_glob.h"

#include <string.h>

/* Returns the bytes of the class "[...]" at the start of the pattern, or 0 if it has no end. A ']'
   right after the start is a member. */
static size_t class_bytes(const char *pattern, size_t bytes)
{
	size_t at = bytes > 1 && pattern[1] == '!' ? 2 : 1;
	const char *end;

	if (at + 1 >= bytes)
		return 0;
	end = memchr(pattern + at + 1, ']', bytes - at - 1);
	return end ? (size_t)(end - pattern) + 1 : 0;
}

static bool class_has(const char *pattern, size_t bytes, unsigned char c)
{
	bool is_negated = pattern[1] == '!';
	bool is_member = false;

	for (size_t at = 1 + is_negated; at < bytes - 1; at++) {
		unsigned char first = (unsigned char)pattern[at], last = first;

		if (at + 2 < bytes - 1 && pattern[at + 1] == '-') {
			last = (unsigned char)pattern[at + 2];
			at += 2;
		}
		is_member |= first <= c && c <= last;
	}
	return is_member != is_negated;
}

/* Returns how much of the pattern stands for this character, or 0 if it does not match. */
static size_t match_one(const char *pattern, size_t bytes, char c)
{
	size_t of_class = *pattern == '[' ? class_bytes(pattern, bytes) : 0;

	if (of_class)
		return class_has(pattern, of_class, (unsigned char)c) ? of_class : 0;
	return *pattern == '?' || *pattern == c;
}

/* On a mismatch, the last '*' takes one character more: earlier ones need no second try. */
bool expression_glob_match(const char *pattern, size_t pattern_bytes, const char *text,
			   size_t text_bytes)
{
	size_t at = 0, text_at = 0;
	size_t star = pattern_bytes, star_text = 0;

	while (text_at < text_bytes) {
		size_t taken = 0;

		if (at < pattern_bytes && pattern[at] == '*') {
			star = at++;
			star_text = text_at;
			continue;
		}
		if (at < pattern_bytes)
			taken = match_one(pattern + at, pattern_bytes - at, text[text_at]);
		if (!taken && star == pattern_bytes)
			return false;
		at = taken ? at + taken : star + 1;
		text_at = taken ? text_at + 1 : ++star_text;
	}
	while (at < pattern_bytes && pattern[at] == '*')
		at++;
	return at == pattern_bytes;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "rank/call_site.h"

#include <string.h>

/* What may stand before an address. */
static const char *const prefixes[] = { "Returning from", "Returning to", NULL };

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	return at;
}

static bool begins_with(const char *at, const char *end, const char *beginning)
{
	size_t length = strlen(beginning);

	return (size_t)(end - at) >= length && !memcmp(at, beginning, length);
}

/* Moves behind a colon with blanks around it, if there is one. */
static const char *skip_colon(const char *at, const char *end)
{
	const char *colon = skip_blanks(at, end);

	return colon < end && *colon == ':' ? skip_blanks(colon + 1, end) : colon;
}

static const char *skip_prefix(const char *at, const char *end)
{
	for (const char *const *prefix = prefixes; *prefix; prefix++)
		if (begins_with(at, end, *prefix))
			return skip_colon(at + strlen(*prefix), end);
	return at;
}

static const char *skip_address(const char *at, const char *end)
{
	if (!begins_with(at, end, "0x"))
		return at;
	at += strlen("0x");
	while (at < end && g_ascii_isxdigit(*at))
		at++;
	return at;
}

CallSite call_site_of_line(const char *line, size_t length)
{
	const char *end = line + length;
	const char *address = skip_prefix(skip_blanks(line, end), end);
	const char *behind = skip_address(address, end);
	const char *name = skip_colon(behind, end);
	const char *name_end = name;
	CallSite site = { .text = name, .length = (size_t)(end - name) };

	while (name_end < end && !strchr("+ \t[]", *name_end))
		name_end++;
	if (name_end > name) {
		site.symbol = name;
		site.symbol_bytes = (size_t)(name_end - name);
	} else if (behind > address && name == end) {
		site.text = address;
		site.length = (size_t)(behind - address);
	}
	return site;
}

static bool is_skipped(const CallSite *site, const CallsiteSkip *skip)
{
	g_autofree char *symbol = g_strndup(site->symbol, site->symbol_bytes);

	return symbol && callsite_skip_has(skip, symbol);
}

CallSite call_site_of_stack(const char *stack, const CallsiteSkip *skip)
{
	CallSite site = { .text = stack };

	for (const char *line = stack; *line;) {
		size_t length = strcspn(line, "\n");

		site = call_site_of_line(line, length);
		if (!is_skipped(&site, skip))
			break;
		line += length + (line[length] == '\n');
	}
	return site;
}

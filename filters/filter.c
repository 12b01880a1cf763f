/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conditions that a stack must meet, in a table in the order in which they are applied; makes
 * and frees one. A filter's state is its number, list or compiled expression.
 * table/filter_chain.c applies them.
 */
#include "filter.h"

#include "number.h"

#include <string.h>

GQuark filter_error_quark(void)
{
	return g_quark_from_static_string("filter-error");
}

/* Numbers. */

static bool prepare_count(Filter *filter, GError **error)
{
	uint64_t *minimum = g_new0(uint64_t, 1);
	const char *rest;

	filter->state = minimum;
	if (number_parse(filter->argument, minimum, &rest) && !*rest)
		return true;
	g_set_error(error, filter_error_quark(), 0, "'%s' is not a whole number", filter->argument);
	return false;
}

static bool has_count(const Filter *filter, const StackSummary *stack)
{
	return stack->allocations >= *(const uint64_t *)filter->state;
}

static bool prepare_bytes(Filter *filter, GError **error)
{
	uint64_t *minimum = g_new0(uint64_t, 1);

	filter->state = minimum;
	if (number_parse_bytes(filter->argument, minimum))
		return true;
	g_set_error(error, filter_error_quark(), 0,
		    "'%s' is not a size: use a whole number, optionally followed by K, M or G",
		    filter->argument);
	return false;
}

static bool has_bytes(const Filter *filter, const StackSummary *stack)
{
	return stack->bytes_allocated >= *(const uint64_t *)filter->state;
}

/* Lists of literal texts. */

char **item_list_parse(const char *list)
{
	char **items = g_strsplit(list, ",", -1);
	char **kept = items;

	for (char **item = items; *item; item++) {
		if (**item)
			*kept++ = *item;
		else
			g_free(*item);
	}
	*kept = NULL;
	return items;
}

/* Every text is a valid list. */
static bool prepare_list(Filter *filter, GError **error)
{
	(void)error;
	filter->state = item_list_parse(filter->argument);
	return true;
}

static void dispose_list(void *state)
{
	g_strfreev(state);
}

static bool has_item(const Filter *filter, const char *line)
{
	for (char *const *item = filter->state; *item; item++)
		if (strstr(line, *item))
			return true;
	return false;
}

/* A list without items keeps everything. */
static bool has_item_if_any(const Filter *filter, const char *line)
{
	return !*(char *const *)filter->state || has_item(filter, line);
}

/* Regular expressions: ^ and $ match at single lines. */

static bool prepare_regex(Filter *filter, GError **error)
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

static void dispose_regex(void *state)
{
	g_regex_unref(state);
}

static bool matches_regex(const Filter *filter, const char *line)
{
	return g_regex_match(filter->state, line, 0, NULL);
}

/* The cheap ones first, in the order of the Perl tool: minimum, exclude. */
const FilterType filter_types[] = {
	{ .option = "min-count", .prepare = prepare_count, .keeps = has_count, .dispose = g_free },
	{ .option = "min-bytes", .prepare = prepare_bytes, .keeps = has_bytes, .dispose = g_free },
	{ .option = "exclude",
	  .prepare = prepare_list,
	  .matches = has_item,
	  .drops_matches = true,
	  .dispose = dispose_list },
	{ .option = "exclude-regex",
	  .prepare = prepare_regex,
	  .matches = matches_regex,
	  .drops_matches = true,
	  .dispose = dispose_regex },
	{ .option = "include",
	  .prepare = prepare_list,
	  .matches = has_item_if_any,
	  .dispose = dispose_list },
	{ .option = "include-regex",
	  .prepare = prepare_regex,
	  .matches = matches_regex,
	  .dispose = dispose_regex },
	{ .option = NULL },
};

const FilterType *filter_type_lookup(const char *option)
{
	for (const FilterType *type = filter_types; type->option; type++)
		if (g_str_equal(type->option, option))
			return type;
	return NULL;
}

Filter *filter_new(const FilterType *type, const char *argument, GError **error)
{
	g_autoptr(Filter) filter = g_new0(Filter, 1);

	filter->type = type;
	filter->argument = g_strdup(argument);
	if (!type->prepare(filter, error))
		return NULL;
	return g_steal_pointer(&filter);
}

void filter_free(Filter *filter)
{
	if (!filter)
		return;
	if (filter->state)
		filter->type->dispose(filter->state);
	g_free(filter->argument);
	g_free(filter);
}

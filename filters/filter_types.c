/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of filters, in the order in which they are applied; makes and frees one.
 * table/filter_chain.c applies them.
 */
#include "filter.h"

#include "filter_kinds.h"

/* The cheap ones first, in the order of the Perl tool: minimum, exclude. */
const FilterType *const filter_types[] = {
	&min_count_filter,
	&min_bytes_filter,
	&exclude_filter,
	&exclude_regex_filter,
	&include_filter,
	&include_regex_filter,
	NULL,
};

GQuark filter_error_quark(void)
{
	return g_quark_from_static_string("filter-error");
}

const FilterType *filter_type_lookup(const char *option)
{
	for (const FilterType *const *type = filter_types; *type; type++)
		if (g_str_equal((*type)->option, option))
			return *type;
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
	if (filter->state && filter->type->dispose)
		filter->type->dispose(filter->state);
	g_free(filter->argument);
	g_free(filter);
}

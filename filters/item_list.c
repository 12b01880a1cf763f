/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of literal texts, separated by commas: parsed, and sought in a line. Shared by -e, -I and
 * --callsite-skip.
 */
#include "item_list.h"

#include <glib.h>
#include <string.h>

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

bool item_list_occurs(char *const *items, const char *text)
{
	for (; *items; items++)
		if (strstr(text, *items))
			return true;
	return false;
}

bool item_list_prepare(Filter *filter, GError **error)
{
	(void)error;
	filter->state = item_list_parse(filter->argument);
	return true;
}

void item_list_dispose(void *state)
{
	g_strfreev(state);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "names/cache_list.h"

#include <criterion/criterion.h>
#include <glib.h>

/* The slab caches of other hosts, from tests/data/caches. */

/* Returns the text of a file there, or NULL; the caller frees it. */
static inline GString *cache_hosts_text(const char *host, const char *suffix)
{
	g_autofree char *path = g_strconcat(TEST_DATA "/caches/", host, suffix, NULL);
	g_autofree char *text = NULL;

	g_file_get_contents(path, &text, NULL, NULL);
	return text ? g_string_new(text) : NULL;
}

static inline void cache_hosts_free_text(GString *text)
{
	if (text)
		g_string_free(text, TRUE);
}

/* Returns the caches of a host; "-" and what follows: one without facts. */
static inline CacheList *cache_hosts_list(const char *host)
{
	GString *names = cache_hosts_text(host, ".names");
	GString *slabinfo = cache_hosts_text(host, ".slabinfo");
	CacheList *list = cache_list_new(names, slabinfo);

	cr_assert(*host == '-' || slabinfo, "no data of %s", host);
	cache_hosts_free_text(names);
	cache_hosts_free_text(slabinfo);
	return list;
}

/* Calls for each line of a table there, with its columns, without the blanks around them. Returns
   how many lines it has. */
static inline guint cache_hosts_table(const char *file, guint columns, void (*check)(char **column))
{
	GString *text = cache_hosts_text(file, ".txt");
	g_auto(GStrv) lines = g_strsplit(text->str, "\n", -1);
	guint rows = 0;

	for (char **line = lines; **line; line++, rows++) {
		g_auto(GStrv) row = g_strsplit(*line, "|", -1);

		cr_assert_eq(g_strv_length(row), columns, "%s", *line);
		for (char **column = row; *column; column++)
			g_strstrip(*column);
		check(row);
	}
	g_string_free(text, TRUE);
	return rows;
}

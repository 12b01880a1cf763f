/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/event_kinds.h"

static const char *const kmalloc_points[] = { "kmalloc", NULL };
static const char *const cache_points[] = { "kmem_cache_alloc", NULL };
static const char *const page_points[] = { "mm_page_alloc", NULL };
static const char *const free_points[] = { "kfree", "kmem_cache_free", "mm_page_free", NULL };

const EventKind event_kinds[] = {
	{ COLLECT_KMALLOC, "kmalloc", kmalloc_points,
	  "kmalloc (constant and variable size, _node, track_caller, large)" },
	{ COLLECT_CACHE, "cache", cache_points, "kmem_cache_alloc (_node, _lru)" },
	{ COLLECT_PAGE, "page", page_points, "page allocator" },
	{ COLLECT_FREE, "free", free_points, NULL },
	{ 0, NULL, NULL, NULL },
};

char *event_kinds_names(unsigned events)
{
	GString *names = g_string_new(NULL);

	for (const EventKind *kind = event_kinds; kind->name; kind++)
		if (events & kind->bit)
			g_string_append_printf(names, "%s%s", names->len ? "," : "", kind->name);
	return g_string_free(names, FALSE);
}

static const EventKind *lookup(const char *name)
{
	for (const EventKind *kind = event_kinds; kind->name; kind++)
		if (g_str_equal(kind->name, name))
			return kind;
	return NULL;
}

bool event_kinds_parse(const char *list, unsigned *events, GError **error)
{
	g_auto(GStrv) words = g_strsplit(list, ",", -1);

	*events = 0;
	for (char **word = words; *word; word++) {
		const EventKind *kind = lookup(*word);

		if (!kind) {
			g_autofree char *all = event_kinds_names(G_MAXUINT);

			g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
				    "unknown event '%s'; valid: %s", *word, all);
			return false;
		}
		*events |= kind->bit;
	}
	return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/event_kinds.h"

const EventKind event_kinds[] = {
	{ COLLECT_KMALLOC, "kmalloc",
	  "kmalloc (constant and variable size, _node, track_caller, large)" },
	{ COLLECT_CACHE, "cache", "kmem_cache_alloc (_node, _lru)" },
	{ COLLECT_PAGE, "page", "page allocator" },
	{ COLLECT_FREE, "free", NULL },
	{ 0, NULL, NULL },
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
				    "'%s' is no kind of event: there are %s", *word, all);
			return false;
		}
		*events |= kind->bit;
	}
	return true;
}

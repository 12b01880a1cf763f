/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The caches that the user asks for. Items are resolved against the host's list once; then a lookup
 * by name is one hash. If there is no list, items are taken as given. The collectors take the
 * kernel's names from it, filters ask for each cache.
 */
#include "names/cache_query.h"

#include "base/escape.h"
#include "base/keyed_hash.h"
#include "base/nearest.h"

#include <fnmatch.h>
#include <gio/gio.h>
#include <string.h>

enum {
	KERNEL_NAMES_MAX = 16, /* COLLECT_CACHES_MAX */
};

/* Name of kmallocs of whole pages; not a slab cache and in no list. */
#define LARGE "kmalloc-large"

typedef struct {
	char *text;
	bool is_glob;
} Item;

struct CacheQuery {
	GArray *items;
	GPtrArray *matched;      /* (element-type utf8) */
	GPtrArray *aliases;      /* (element-type utf8) other requested names; NULL: none */
	GHashTable *index_of;    /* name (owned) to its cache's index in matched */
	GPtrArray *kernel_names; /* (element-type utf8), ended by NULL once resolved */
	bool names_as_given;
};

static void item_clear(void *data)
{
	g_free(((Item *)data)->text);
}

static CacheQuery *query_empty(void)
{
	CacheQuery *query = g_new0(CacheQuery, 1);

	query->items = g_array_new(FALSE, FALSE, sizeof(Item));
	g_array_set_clear_func(query->items, item_clear);
	query->matched = g_ptr_array_new_with_free_func(g_free);
	query->aliases = g_ptr_array_new_with_free_func(g_free);
	query->kernel_names = g_ptr_array_new_with_free_func(g_free);
	query->index_of = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	return query;
}

CacheQuery *cache_query_new(const char *argument, GError **error)
{
	g_autoptr(CacheQuery) query = query_empty();
	g_auto(GStrv) texts = g_strsplit(argument, ",", -1);

	for (char **text = texts; *text; text++) {
		Item item;

		if (!*g_strstrip(*text))
			continue;
		item.text = g_strndup(*text, cache_name_folded_bytes(*text));
		item.is_glob = strpbrk(item.text, "*?[") != NULL;
		g_array_append_val(query->items, item);
	}
	if (query->items->len)
		return g_steal_pointer(&query);
	g_set_error_literal(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
			    "no slab cache is given: use a name such as kmalloc-192, or names "
			    "and patterns separated by commas");
	return NULL;
}

void cache_query_free(CacheQuery *query)
{
	if (!query)
		return;
	g_array_unref(query->items);
	g_ptr_array_unref(query->matched);
	g_ptr_array_unref(query->aliases);
	g_ptr_array_unref(query->kernel_names);
	g_hash_table_unref(query->index_of);
	g_free(query);
}

/* Adds a name as the kernel spells it and as reports show it, for lookups. */
static void add_name(CacheQuery *query, const char *name, int index)
{
	GString *escaped = g_string_new(NULL);

	escape_append(escaped, name);
	g_hash_table_insert(query->index_of, g_string_free(escaped, FALSE), GINT_TO_POINTER(index));
	g_hash_table_insert(query->index_of, g_strdup(name), GINT_TO_POINTER(index));
}

/* Starts a match; its names follow. */
static int add_match(CacheQuery *query, const char *name)
{
	g_ptr_array_add(query->aliases, NULL);
	g_ptr_array_add(query->matched, g_strdup(name));
	return (int)query->matched->len - 1;
}

static void match_cache(CacheQuery *query, const ListedCache *cache)
{
	const char *name = listed_cache_name(cache);
	int index;

	if (g_hash_table_contains(query->index_of, name))
		return;
	index = add_match(query, name);
	for (guint i = 0; i < cache->names->len; i++) {
		const char *other = g_ptr_array_index(cache->names, i);

		add_name(query, other, index);
		if (!cache->kernel_name)
			g_ptr_array_add(query->kernel_names, g_strdup(other));
	}
	if (cache->kernel_name)
		g_ptr_array_add(query->kernel_names, g_strdup(cache->kernel_name));
}

static void match_large(CacheQuery *query)
{
	if (g_hash_table_contains(query->index_of, LARGE))
		return;
	add_name(query, LARGE, add_match(query, LARGE));
	g_ptr_array_add(query->kernel_names, g_strdup(LARGE));
}

static bool matches_name(const char *glob, const char *name)
{
	return !fnmatch(glob, name, 0);
}

/* Whether a glob matches any spelling of a kmalloc class. */
static bool matches_spelling(const char *glob, const char *name)
{
	KmallocClass class;

	if (!kmalloc_class_parse(name, &class))
		return false;
	for (int spelling = 0; spelling < KMALLOC_SPELLINGS; spelling++) {
		g_autoptr(GString) spelled = g_string_new(NULL);

		if (kmalloc_class_append(spelled, &class, spelling) &&
		    matches_name(glob, spelled->str))
			return true;
	}
	return false;
}

/* Adds the caches with a name that matches the glob. Returns whether there are any. */
static bool match_glob(CacheQuery *query, const CacheList *list, const char *glob,
		       bool (*matches)(const char *glob, const char *name))
{
	bool any = false;

	for (guint i = 0; i < cache_list_count(list); i++) {
		const ListedCache *cache = cache_list_at(list, i);
		const char *wanted = NULL;

		for (guint name = 0; name < cache->names->len && !wanted; name++)
			if (matches(glob, g_ptr_array_index(cache->names, name)))
				wanted = g_ptr_array_index(cache->names, name);
		if (wanted)
			match_cache(query, cache);
		any |= wanted != NULL;
	}
	return any;
}

/* Names first: other spellings are tried only if the host has no matching name. */
static bool resolve_glob(CacheQuery *query, const CacheList *list, const Item *item)
{
	bool any = match_glob(query, list, item->text, matches_name) ||
		   match_glob(query, list, item->text, matches_spelling);

	if (!matches_name(item->text, LARGE))
		return any;
	match_large(query);
	return true;
}

/* Stores the requested name of a cache if it differs from the displayed name. */
static void set_alias(CacheQuery *query, const char *asked, const char *name)
{
	int index = cache_query_index(query, name);
	gpointer *alias;

	if (index < 0 || g_str_equal(asked, name))
		return;
	alias = &g_ptr_array_index(query->aliases, index);
	if (!*alias)
		*alias = g_strdup(asked);
}

static bool resolve_name(CacheQuery *query, const CacheList *list, const Item *item)
{
	const ListedCache *cache = cache_list_find(list, item->text);
	KmallocClass class;
	const char *spelled;

	if (!cache && g_str_equal(item->text, LARGE)) {
		match_large(query);
		return true;
	}
	if (!cache && kmalloc_class_parse(item->text, &class)) {
		spelled = cache_list_class_name(list, &class);
		cache = spelled ? cache_list_find(list, spelled) : NULL;
	}
	if (!cache)
		return false;
	match_cache(query, cache);
	set_alias(query, item->text, listed_cache_name(cache));
	return true;
}

/* The host's spelling of a class is unknown: all spellings are one match. */
static void take_as_given(CacheQuery *query, const Item *item)
{
	KmallocClass class;
	int index;

	if (g_hash_table_contains(query->index_of, item->text))
		return;
	index = add_match(query, item->text);
	add_name(query, item->text, index);
	g_ptr_array_add(query->kernel_names, g_strdup(item->text));
	for (int spelling = 0;
	     kmalloc_class_parse(item->text, &class) && spelling < KMALLOC_SPELLINGS; spelling++) {
		g_autoptr(GString) spelled = g_string_new(NULL);

		if (!kmalloc_class_append(spelled, &class, spelling) ||
		    g_hash_table_contains(query->index_of, spelled->str))
			continue;
		add_name(query, spelled->str, index);
		g_ptr_array_add(query->kernel_names, g_strdup(spelled->str));
	}
}

/* Returns a name in the spelling of the newest kernels, for the search of near names: old and new
   spellings are not similar. */
static char *newest_spelling(const char *name)
{
	GString *spelled = g_string_new(NULL);
	KmallocClass class;

	if (kmalloc_class_parse(name, &class))
		kmalloc_class_append(spelled, &class, KMALLOC_SPELLING_UNITS);
	else
		g_string_assign(spelled, name);
	return g_string_free(spelled, FALSE);
}

static void set_error(GError **error, const CacheList *list, const Item *item, const char *advice)
{
	g_autofree char *wanted = newest_spelling(item->text);
	g_autoptr(Nearest) nearest = nearest_new(wanted);
	g_autoptr(GString) names = g_string_new("nearest: ");

	for (guint i = 0; i < cache_list_count(list); i++) {
		const GPtrArray *offered = cache_list_at(list, i)->names;

		for (guint j = 0; j < offered->len; j++) {
			const char *name = g_ptr_array_index(offered, j);
			g_autofree char *written = newest_spelling(name);

			nearest_offer(nearest, name, written);
		}
	}
	if (!nearest_append(nearest, names))
		g_string_assign(names, advice);
	g_set_error(error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s '%s'; %s",
		    item->is_glob ? "no slab cache matches" : "no slab cache is called", item->text,
		    names->str);
}

bool cache_query_resolve(CacheQuery *query, const CacheList *list, const char *advice,
			 GError **error)
{
	query->names_as_given = !cache_list_count(list);
	for (guint i = 0; i < query->items->len; i++) {
		const Item *item = &g_array_index(query->items, Item, i);

		if (query->names_as_given) {
			take_as_given(query, item);
			continue;
		}
		if (item->is_glob ? resolve_glob(query, list, item)
				  : resolve_name(query, list, item))
			continue;
		set_error(error, list, item, advice);
		return false;
	}
	g_ptr_array_add(query->kernel_names, NULL);
	return true;
}

int cache_query_index(const CacheQuery *query, const char *folded_name)
{
	void *index;

	return g_hash_table_lookup_extended(query->index_of, folded_name, NULL, &index)
		       ? GPOINTER_TO_INT(index)
		       : -1;
}

/* A cache that matches a glob but is not in the list was created later. */
bool cache_query_wants(const CacheQuery *query, const char *folded_name)
{
	if (g_hash_table_contains(query->index_of, folded_name))
		return true;
	for (guint i = 0; i < query->items->len; i++) {
		const Item *item = &g_array_index(query->items, Item, i);

		if (item->is_glob &&
		    (matches_name(item->text, folded_name) ||
		     (query->names_as_given && matches_spelling(item->text, folded_name))))
			return true;
	}
	return false;
}

char **cache_query_kernel_names(const CacheQuery *query)
{
	bool has_globs = false;

	for (guint i = 0; i < query->items->len; i++)
		has_globs |= g_array_index(query->items, Item, i).is_glob;
	/* The last element is NULL. */
	if ((query->names_as_given && has_globs) || query->kernel_names->len > KERNEL_NAMES_MAX + 1)
		return NULL;
	return (char **)query->kernel_names->pdata;
}

GPtrArray *cache_query_matched(const CacheQuery *query)
{
	return query->matched;
}

const char *cache_query_alias(const CacheQuery *query, guint index)
{
	g_assert(index < query->aliases->len);
	return g_ptr_array_index(query->aliases, index);
}

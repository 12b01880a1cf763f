/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The slab caches of a host, from the lines of a cache_names batch or of /proc/slabinfo: an array
 * sorted by name, and two hash tables, by any name and by kmalloc class. Labels in reports and the
 * matching of requested names are made from it.
 */
#include "names/cache_list.h"

#include "base/escape.h"
#include "base/keyed_hash.h"
#include "names/slabinfo.h"

#include <string.h>

enum {
	NAMES_MAX = 20000, /* a large host has some 500 */
	ALIASES_SHOWN_MAX = 3,
};

struct CacheList {
	GPtrArray *caches;   /* (element-type ListedCache), owned */
	GHashTable *by_name; /* (element-type utf8 ListedCache), borrowed */
	/* kmalloc class names by their spelling in bytes (owned). */
	GHashTable *by_class;
};

static void listed_cache_free(void *data)
{
	ListedCache *cache = data;

	g_ptr_array_unref(cache->names);
	g_free(cache);
}

static void add_name(CacheList *list, ListedCache *cache, const char *name)
{
	char *kept = g_strdup(name);
	KmallocClass class;

	g_ptr_array_add(cache->names, kept);
	g_hash_table_insert(list->by_name, kept, cache);
	if (kmalloc_class_parse(name, &class)) {
		GString *key = g_string_new(NULL);

		kmalloc_class_append(key, &class, KMALLOC_SPELLING_BYTES);
		g_hash_table_insert(list->by_class, g_string_free(key, FALSE), kept);
	}
}

/* Adds names of one cache: that of the first known name. */
static void add_line(CacheList *list, const char *line)
{
	g_auto(GStrv) names = g_strsplit(line, "\t", -1);
	ListedCache *cache = NULL;

	for (char **name = names; *name; name++) {
		(*name)[cache_name_folded_bytes(*name)] = '\0';
		if (!cache)
			cache = g_hash_table_lookup(list->by_name, *name);
	}
	for (char **name = names; *name; name++) {
		if (!**name || g_hash_table_contains(list->by_name, *name) ||
		    g_hash_table_size(list->by_name) >= NAMES_MAX)
			continue;
		if (!cache) {
			cache = g_new0(ListedCache, 1);
			cache->names = g_ptr_array_new_with_free_func(g_free);
			g_ptr_array_add(list->caches, cache);
		}
		add_name(list, cache, *name);
	}
}

static void add_slabinfo(CacheList *list, const GString *text)
{
	g_autoptr(Slabinfo) slabinfo = slabinfo_new(text, 0);

	for (guint i = 0; i < slabinfo_count(slabinfo); i++) {
		const char *name = slabinfo_at(slabinfo, i)->name;
		ListedCache *cache;
		gpointer key;

		add_line(list, name);
		if (!g_hash_table_lookup_extended(list->by_name, name, &key, (gpointer *)&cache))
			continue;
		if (!cache->kernel_name)
			cache->kernel_name = key;
	}
}

/* "kmalloc-8" before "kmalloc-16" before "kmalloc-1k". */
static int compare_names(const char *a, const char *b)
{
	KmallocClass of_a, of_b;
	bool a_is_class = kmalloc_class_parse(a, &of_a);
	bool b_is_class = kmalloc_class_parse(b, &of_b);
	int order = strcmp(a_is_class ? of_a.prefix : a, b_is_class ? of_b.prefix : b);

	if (order || !a_is_class || !b_is_class || of_a.bytes == of_b.bytes)
		return order ? order : strcmp(a, b);
	return of_a.bytes < of_b.bytes ? -1 : 1;
}

static int compare_name_pointers(const void *a, const void *b)
{
	return compare_names(*(char *const *)a, *(char *const *)b);
}

static int compare_caches(const void *a, const void *b)
{
	return compare_names(listed_cache_name(*(const ListedCache *const *)a),
			     listed_cache_name(*(const ListedCache *const *)b));
}

CacheList *cache_list_new(const GString *cache_names_text, const GString *slabinfo_text)
{
	CacheList *list = g_new0(CacheList, 1);
	g_auto(GStrv) lines = g_strsplit(cache_names_text ? cache_names_text->str : "", "\n", -1);

	list->caches = g_ptr_array_new_with_free_func(listed_cache_free);
	list->by_name = g_hash_table_new(keyed_hash_text, g_str_equal);
	list->by_class = g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
	for (char **line = lines; *line; line++)
		add_line(list, *line);
	if (slabinfo_text)
		add_slabinfo(list, slabinfo_text);
	for (guint i = 0; i < list->caches->len; i++)
		g_ptr_array_sort(cache_list_at(list, i)->names, compare_name_pointers);
	g_ptr_array_sort(list->caches, compare_caches);
	return list;
}

void cache_list_free(CacheList *list)
{
	if (!list)
		return;
	g_hash_table_unref(list->by_class);
	g_hash_table_unref(list->by_name);
	g_ptr_array_unref(list->caches);
	g_free(list);
}

guint cache_list_count(const CacheList *list)
{
	return list->caches->len;
}

const ListedCache *cache_list_at(const CacheList *list, guint index)
{
	g_assert(index < list->caches->len);
	return g_ptr_array_index(list->caches, index);
}

const ListedCache *cache_list_find(const CacheList *list, const char *name)
{
	return g_hash_table_lookup(list->by_name, name);
}

const char *cache_list_class_name(const CacheList *list, const KmallocClass *class)
{
	g_autoptr(GString) key = g_string_new(NULL);

	kmalloc_class_append(key, class, KMALLOC_SPELLING_BYTES);
	return g_hash_table_lookup(list->by_class, key->str);
}

const char *listed_cache_name(const ListedCache *cache)
{
	return cache->kernel_name ? cache->kernel_name : g_ptr_array_index(cache->names, 0);
}

void cache_label_append(GString *out, const char *name, const ListedCache *cache, const char *asked)
{
	g_autoptr(GPtrArray) others = g_ptr_array_new();

	/* The requested name is the first of the other ones. */
	for (guint i = 0; cache && i < cache->names->len; i++) {
		char *other = g_ptr_array_index(cache->names, i);

		if (!g_str_equal(other, name))
			g_ptr_array_insert(others, asked && g_str_equal(other, asked) ? 0 : -1,
					   other);
	}
	escape_append(out, name);
	for (guint i = 0; i < MIN(others->len, ALIASES_SHOWN_MAX); i++) {
		g_string_append(out, i ? ", " : " (also: ");
		escape_append(out, g_ptr_array_index(others, i));
	}
	if (others->len > ALIASES_SHOWN_MAX)
		g_string_append_printf(out, ", %u more", others->len - ALIASES_SHOWN_MAX);
	if (others->len)
		g_string_append_c(out, ')');
}

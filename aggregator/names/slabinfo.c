/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses one reading of /proc/slabinfo, in all of its versions, with our lines about sheaves behind
 * it. Caches in an array, and by name. net_check.c, held_check.c and the slab overview compare with
 * it. Also says whether a cache's memory can be reclaimed: by the list in the stream (the host's
 * own flags), else by const patterns.
 */
#include "names/slabinfo.h"

#include "base/keyed_hash.h"
#include "base/unconst.h"
#include "names/kmalloc_class.h"
#include "base/saturate.h"

#include <string.h>

struct Slabinfo {
	GPtrArray *caches;   /* (element-type SlabinfoCache), owned */
	GHashTable *by_name; /* (element-type utf8 SlabinfoCache), borrowed */
};

/* The numbers between the name and ": tunables", and the numbers after ": slabdata". */
enum { IN_USE, OBJECTS, OBJECT_BYTES, OF_A_SLAB, PAGES_OF_A_SLAB, NUMBERS };
enum { ACTIVE_SLABS, SLABS, SLAB_NUMBERS };

#define TUNABLES " : tunables "
#define SLABDATA " : slabdata "
#define SHEAVES "# sheaves: "

static void cache_free(void *data)
{
	SlabinfoCache *cache = data;

	g_free(cache->name);
	g_free(cache);
}

/* Names may contain spaces: numbers are taken from the end, and the name remains. */
static bool take_numbers(char *text, uint64_t numbers[NUMBERS])
{
	for (int i = NUMBERS - 1; i >= 0; i--) {
		char *last, *end;

		g_strchomp(text);
		last = strrchr(text, ' ');
		if (!last || !g_ascii_isdigit(last[1]))
			return false;
		numbers[i] = g_ascii_strtoull(last + 1, &end, 10);
		if (*end)
			return false;
		*last = '\0';
	}
	g_strchomp(text);
	return *text != '\0';
}

/* Returns the number of slabs from the text after ": slabdata". */
static uint64_t parse_slabs(const char *text)
{
	uint64_t numbers[SLAB_NUMBERS];
	char *at = unconst(text);

	for (int i = 0; i < SLAB_NUMBERS; i++)
		numbers[i] = g_ascii_strtoull(at, &at, 10);
	return numbers[SLABS];
}

static SlabinfoCache *cache_of(Slabinfo *slabinfo, const char *name)
{
	SlabinfoCache *cache = g_hash_table_lookup(slabinfo->by_name, name);

	if (cache)
		return cache;
	cache = g_new0(SlabinfoCache, 1);
	cache->name = g_strdup(name);
	g_ptr_array_add(slabinfo->caches, cache);
	g_hash_table_insert(slabinfo->by_name, cache->name, cache);
	return cache;
}

static void add_line(Slabinfo *slabinfo, char *line, uint64_t page_bytes)
{
	char *tunables = strstr(line, TUNABLES);
	char *slabdata = tunables ? strstr(tunables, SLABDATA) : NULL;
	uint64_t numbers[NUMBERS];
	SlabinfoCache *cache;

	if (*line == '#' || !slabdata)
		return;
	*tunables = '\0';
	if (!take_numbers(line, numbers))
		return;
	line[cache_name_folded_bytes(line)] = '\0';
	if (!*line)
		return;
	cache = cache_of(slabinfo, line);
	saturate_add(&cache->objects_in_use, numbers[IN_USE]);
	saturate_add(&cache->objects, numbers[OBJECTS]);
	cache->object_bytes = numbers[OBJECT_BYTES];
	cache->objects_of_a_slab = numbers[OF_A_SLAB];
	saturate_add(&cache->slab_bytes,
		     saturate_product(parse_slabs(slabdata + strlen(SLABDATA)),
				      saturate_product(numbers[PAGES_OF_A_SLAB], page_bytes)));
}

Slabinfo *slabinfo_new(const GString *text, uint64_t page_bytes)
{
	Slabinfo *slabinfo = g_new0(Slabinfo, 1);
	g_auto(GStrv) lines = g_strsplit(text ? text->str : "", "\n", -1);

	slabinfo->caches = g_ptr_array_new_with_free_func(cache_free);
	slabinfo->by_name = g_hash_table_new(keyed_hash_text, g_str_equal);
	for (char **line = lines; *line; line++)
		add_line(slabinfo, *line, page_bytes);
	/* Lines "# sheaves: OBJECTS NAME" about caches of the list. */
	for (char **line = lines; *line; line++) {
		SlabinfoCache *cache;
		uint64_t objects;
		char *end;

		if (!g_str_has_prefix(*line, SHEAVES))
			continue;
		objects = g_ascii_strtoull(*line + strlen(SHEAVES), &end, 10);
		cache = *end == ' ' ? g_hash_table_lookup(slabinfo->by_name, end + 1) : NULL;
		if (cache)
			cache->sheaf_objects = objects;
	}
	return slabinfo;
}

void slabinfo_free(Slabinfo *slabinfo)
{
	if (!slabinfo)
		return;
	g_hash_table_unref(slabinfo->by_name);
	g_ptr_array_unref(slabinfo->caches);
	g_free(slabinfo);
}

/* The pages of a slab are not known: each page is a slab. */
void slabinfo_append(GString *out, const Slabinfo *slabinfo, uint64_t page_bytes)
{
	for (guint i = 0; i < slabinfo->caches->len; i++) {
		const SlabinfoCache *cache = slabinfo->caches->pdata[i];

		g_string_append_printf(out,
				       "%s %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT
				       " %" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT " 1" TUNABLES
				       "0 0 0" SLABDATA "0 %" G_GUINT64_FORMAT " 0\n",
				       cache->name, cache->objects_in_use, cache->objects,
				       cache->object_bytes, cache->objects_of_a_slab,
				       cache->slab_bytes / MAX(page_bytes, 1));
		if (cache->sheaf_objects)
			g_string_append_printf(out, SHEAVES "%" G_GUINT64_FORMAT " %s\n",
					       cache->sheaf_objects, cache->name);
	}
}

guint slabinfo_count(const Slabinfo *slabinfo)
{
	return slabinfo->caches->len;
}

const SlabinfoCache *slabinfo_at(const Slabinfo *slabinfo, guint index)
{
	g_assert(index < slabinfo->caches->len);
	return g_ptr_array_index(slabinfo->caches, index);
}

const SlabinfoCache *slabinfo_find(const Slabinfo *slabinfo, const char *name)
{
	return g_hash_table_lookup(slabinfo->by_name, name);
}

/* Reclaimable caches. */

struct Reclaimable {
	GHashTable *names; /* (element-type utf8), owned; NULL: use the patterns */
};

/* Created with SLAB_RECLAIM_ACCOUNT in Linux 5.10 to 7.2, for kernels without /sys/kernel/slab. */
static const char *const patterns[] = {
	"buffer_head",    "btrfs_delayed_*", "btrfs_extent_map",   "btrfs_inode", "btrfs_path",
	"dentry",         "dquot",           "ext4_extent_status", "fuse_inode",  "kmalloc-rcl-*",
	"mb_cache_entry", "ovl_inode",       "*_inode_cache",      "inode_cache", "radix_tree_node",
	"xfs_inode",
};

/* Accounted as reclaimable, but they live as long as the open file or socket. */
static const char *const held[] = { "mqueue_inode_cache", "shmem_inode_cache", "sock_inode_cache",
				    NULL };

Reclaimable *reclaimable_new(const GString *text)
{
	Reclaimable *reclaimable = g_new0(Reclaimable, 1);
	g_auto(GStrv) lines = text ? g_strsplit(text->str, "\n", -1) : NULL;

	if (!lines)
		return reclaimable;
	reclaimable->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	for (char **line = lines; *line; line++) {
		(*line)[cache_name_folded_bytes(*line)] = '\0';
		g_hash_table_add(reclaimable->names, g_strdup(*line));
	}
	return reclaimable;
}

void reclaimable_free(Reclaimable *reclaimable)
{
	if (!reclaimable)
		return;
	if (reclaimable->names)
		g_hash_table_unref(reclaimable->names);
	g_free(reclaimable);
}

bool reclaimable_has(const Reclaimable *reclaimable, const char *cache)
{
	if (g_strv_contains(held, cache))
		return false;
	if (reclaimable->names)
		return g_hash_table_contains(reclaimable->names, cache);
	for (size_t i = 0; i < G_N_ELEMENTS(patterns); i++)
		if (g_pattern_match_simple(patterns[i], cache))
			return true;
	return false;
}

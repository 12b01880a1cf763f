/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Says whether a cache's memory can be reclaimed: by the list in the stream (the host's own flags),
 * else by const patterns. Reports of the slab's state use it.
 */
#include "names/slabinfo.h"

#include "names/kmalloc_class.h"

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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each text once, in a hash table that owns the texts. Tables of rates and of code objects keep
 * their names in one.
 */
#include "base/text_pool.h"

#include "base/keyed_hash.h"

TextPool *text_pool_new(void)
{
	return g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
}

void text_pool_free(TextPool *pool)
{
	g_hash_table_unref(pool);
}

const char *text_pool_keep(TextPool *pool, const char *text)
{
	gpointer kept = NULL;

	if (!text || g_hash_table_lookup_extended(pool, text, &kept, NULL))
		return kept;
	kept = g_strdup(text);
	g_hash_table_add(pool, kept);
	return kept;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/keyed_hash.h"

#include <glib.h>

/*
 * Texts that live as long as the pool, each of them once. A GStringChunk has this, too, but it
 * allocates when it is freed: at the end of a command that has printed everything.
 */
typedef GHashTable TextPool;

/* Returns a new one; free it with text_pool_free(). */
static inline TextPool *text_pool_new(void)
{
	return g_hash_table_new_full(keyed_hash_text, g_str_equal, g_free, NULL);
}

static inline void text_pool_free(TextPool *pool)
{
	g_hash_table_unref(pool);
}

/* Returns the pool's copy of a text, which may be NULL. */
static inline const char *text_pool_keep(TextPool *pool, const char *text)
{
	gpointer kept = NULL;

	if (!text || g_hash_table_lookup_extended(pool, text, &kept, NULL))
		return kept;
	kept = g_strdup(text);
	g_hash_table_add(pool, kept);
	return kept;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * Texts that live as long as the pool, each of them once. A GStringChunk has this, too, but it
 * allocates when it is freed: at the end of a command that has printed everything.
 */
typedef GHashTable TextPool;

/* Returns a new one; free it with text_pool_free(). */
TextPool *text_pool_new(void);
void text_pool_free(TextPool *pool);

/* Returns the pool's copy of a text, which may be NULL. */
const char *text_pool_keep(TextPool *pool, const char *text);

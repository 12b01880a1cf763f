/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* The texts of a page: what names one has its position, so that each text is there once. */
typedef struct {
	GHashTable *numbers; /* private */
	GPtrArray *texts;    /* (element-type utf8), owned */
} PageNames;

/* Returns a new one; free it with page_names_free(). */
PageNames *page_names_new(void);
void page_names_free(PageNames *names);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(PageNames, page_names_free)

/* Returns the position of a text in texts, which gets it if it is new. NULL is the empty text. */
guint page_names_add(PageNames *names, const char *text);

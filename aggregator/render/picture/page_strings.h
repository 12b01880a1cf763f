/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdio.h>

/* Texts inside of HTML. All are valid UTF-8: escape_append() made them. */

/* Appends a text for an element or for an attribute in double quotes. */
void page_append_text(GString *out, const char *text);

/* Writes a part of a JSON document for a script element. There, markup could end the element, so
   <, > and & become \u00XX; so do U+2028 and U+2029, which older scripts take for line ends. In
   JSON all of these only occur in texts. A part must not end inside of a character. */
void page_write_json(FILE *out, const char *json, gsize length);

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

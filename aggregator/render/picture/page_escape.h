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

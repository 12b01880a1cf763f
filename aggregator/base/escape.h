/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Appends a text from outside for output to a terminal: control characters, invisible characters
 * and invalid UTF-8 become \xNN, byte by byte. A backslash that could be taken for the begin of an
 * escape (before an x, a backslash, or an escape, and at the end) becomes two. The rest is
 * unchanged. So different texts look different. Not for a text that is escaped already.
 */
void escape_append(GString *out, const char *text);

/* Like escape_append(), for a text that is not terminated. */
void escape_append_len(GString *out, const char *text, gsize length);

/* Returns a text escaped like by escape_append(), owned by the caller. */
char *escape_copy(const char *text);

/* Whether a text would be appended unchanged. */
bool escape_is_printable(const char *text);

/* Makes only visible what is hidden, as \xNN: for formats with escapes of their own, and texts that
   may be escaped already. */
void escape_hidden_append_len(GString *out, const char *text, gsize length);

/* Appends a text as one word for a shell, escaped; in quotes only if it needs them. */
void escape_append_word(GString *out, const char *text);

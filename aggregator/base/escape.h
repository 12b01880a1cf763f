/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/*
 * Text from outside on its way to a terminal: control characters, invisible ones and bytes that
 * are no UTF-8 are appended as \xNN, byte by byte; the rest as it is.
 */
void escape_append(GString *out, const char *text);

/* The same for a text that is not terminated. */
void escape_append_len(GString *out, const char *text, gsize length);

/* Whether a text would be appended as it is. */
bool escape_is_printable(const char *text);

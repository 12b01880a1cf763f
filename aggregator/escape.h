/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/*
 * Text from outside on its way to a terminal: control characters, invisible ones and bytes that
 * are no UTF-8 are appended as \xNN, byte by byte; the rest as it is.
 */
void escape_append(GString *out, const char *text);

/* The same for a text that is not terminated. */
void escape_append_len(GString *out, const char *text, gsize length);

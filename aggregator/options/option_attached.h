/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "options/option_table.h"

#include <glib.h>

/*
 * Supports values that are attached to their options, as in -t5, which GLib's parser does not know.
 * words is a command line up to "--", NULL-terminated. Returns a copy in which such values are
 * separate words, -t 5. Other values are unchanged. The caller frees it with g_strfreev().
 */
char **option_attached_split(const Tool *tool, char *const *words);

/* Whether an option must have a value. */
bool option_takes_value(const OptionRow *row);

/* Returns the option of a word whose value is the next word ("-qt", "--top"); NULL: it has none, or
   it is attached. */
const OptionRow *option_awaits_value(const Tool *tool, const char *word);

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Separates values that are attached to short options from them, for GLib's parser and for
 * completion. No state.
 */
#include "options/option_attached.h"

#include "options/option_table.h"
#include "options/tool_description.h"

#include <string.h>

bool option_takes_value(const OptionRow *row)
{
	return row->argument && *row->argument != '[';
}

static const OptionRow *row_of_letter(const Tool *tool, char letter)
{
	const char given[] = { '-', letter, '\0' };

	return option_row_lookup(tool, given);
}

/* Returns how many bytes of "-qt5" are options, up to the first one that takes a value; 0: none
   takes a value. */
static size_t letters_until_value(const Tool *tool, const char *word)
{
	for (size_t i = 1; word[i]; i++) {
		const OptionRow *row = row_of_letter(tool, word[i]);

		if (!row)
			return 0;
		if (option_takes_value(row))
			return i + 1;
	}
	return 0;
}

const OptionRow *option_awaits_value(const Tool *tool, const char *word)
{
	const OptionRow *row;
	size_t letters;

	if (g_str_has_prefix(word, "--")) {
		row = option_row_lookup(tool, word);
		return row && option_takes_value(row) ? row : NULL;
	}
	if (*word != '-')
		return NULL;
	letters = letters_until_value(tool, word);
	return letters && !word[letters] ? row_of_letter(tool, word[letters - 1]) : NULL;
}

/* Adds an option, as two words if its value is attached. Returns whether the next word is its
   value. */
static bool add_option(GPtrArray *split, const Tool *tool, const char *word)
{
	const bool awaits_value = option_awaits_value(tool, word);
	const size_t letters =
		g_str_has_prefix(word, "--") || awaits_value ? 0 : letters_until_value(tool, word);

	if (!letters) {
		g_ptr_array_add(split, g_strdup(word));
		return awaits_value;
	}
	g_ptr_array_add(split, g_strndup(word, letters));
	g_ptr_array_add(split, g_strdup(word + letters));
	return false;
}

char **option_attached_split(const Tool *tool, char *const *words)
{
	GPtrArray *split = g_ptr_array_new();
	bool is_value = true; /* of an option, or the program's name: not an option */

	for (; *words; words++) {
		if (!is_value && **words == '-' && (*words)[1]) {
			is_value = add_option(split, tool, *words);
			continue;
		}
		g_ptr_array_add(split, g_strdup(*words));
		is_value = false;
	}
	g_ptr_array_add(split, NULL);
	return (char **)g_ptr_array_free(split, FALSE);
}

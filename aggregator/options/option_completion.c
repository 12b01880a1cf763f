/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes the last word of a command line: an option, its value, or a word that the tool takes.
 * tool.c calls it instead of a run; completion_words.c has the values.
 */
#include "options/option_completion.h"

#include "base/unconst.h"
#include "options/option_attached.h"
#include "options/tool_description.h"

#include <string.h>

/* Offers the long names; those that take a value end with '='. */
static void offer_options(Completion *completion)
{
	for (const OptionRow *row = option_rows; row->long_name; row++) {
		g_autofree char *name = NULL;

		if (!option_row_is_of(row, completion->tool))
			continue;
		name = g_strdup_printf("--%s%s", row->long_name,
				       option_takes_value(row) ? "=" : "");
		completion_offer(completion, name, row->help);
	}
}

/* Offers values for "--by=pro". */
static void offer_attached_value(Completion *completion)
{
	const char *value = strchr(completion->typed, '=') + 1;
	g_autofree char *name =
		g_strndup(completion->typed, (gsize)(value - 1 - completion->typed));
	const OptionRow *row = option_row_lookup(completion->tool, name);

	g_string_append_len(completion->before, completion->typed, value - completion->typed);
	completion->typed = value;
	if (row && row->argument)
		completion_offer_values(completion, row);
}

/* The words before the last one: leaves in *awaiting the option whose value the last one is, or
   NULL. Returns the index of the first word of a command behind "--", or -1. */
static int read_words(const Tool *tool, char *const *words, const OptionRow **awaiting)
{
	*awaiting = NULL;
	for (int i = 0; words[i + 1]; i++) {
		if (*awaiting)
			*awaiting = NULL;
		else if (g_str_equal(words[i], "--"))
			return i + 1;
		else
			*awaiting = option_awaits_value(tool, words[i]);
	}
	return -1;
}

void option_completion_print(const Tool *tool, const char *root, char *const *words, FILE *out)
{
	g_autoptr(GString) before = g_string_new(NULL);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	Completion completion = {
		.tool = tool, .root = root, .before = before, .seen = seen, .out = out
	};
	const OptionRow *awaiting;
	int command;

	if (!*words)
		return;
	command = read_words(tool, words, &awaiting);
	completion.typed = words[g_strv_length(unconst(words)) - 1];
	if (command >= 0)
		fprintf(out, ":command %d\n", command);
	else if (awaiting)
		completion_offer_values(&completion, awaiting);
	else if (g_str_has_prefix(completion.typed, "--") && strchr(completion.typed, '='))
		offer_attached_value(&completion);
	else if (*completion.typed == '-')
		offer_options(&completion);
	else
		completion_offer_objects(&completion);
}

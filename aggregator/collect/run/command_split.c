/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Splits the text of -c into words, without a shell, and quotes words for facts. No state. What
 * only a shell could do is refused.
 */
#include "collect/run/command.h"

#include <string.h>

static bool is_name_byte(char byte)
{
	return g_ascii_isalnum(byte) || byte == '_';
}

/* Whether the text begins with VAR=…, which only a shell treats as a variable. */
static bool begins_with_assignment(const char *text)
{
	const char *at = text;

	while (is_name_byte(*at))
		at++;
	return at > text && !g_ascii_isdigit(*text) && *at == '=';
}

/* Returns the byte after a quoted part that begins here ('…', "…" or \x), or the same byte. */
static const char *skip_quoted(const char *at)
{
	char quote = *at;

	if (quote == '\\')
		return at + (at[1] ? 2 : 1);
	if (quote != '\'' && quote != '"')
		return at;
	for (at++; *at && *at != quote; at++)
		if (quote == '"' && *at == '\\' && at[1])
			at++;
	return *at ? at + 1 : at;
}

/* Returns the first unquoted part that only a shell understands, or NULL. */
static const char *shell_part(const char *text)
{
	bool word_start = true;
	const char *at = text;

	while (*at) {
		const char *behind = skip_quoted(at);

		if (behind != at) {
			at = behind;
			word_start = false;
			continue;
		}
		if (strchr("|&;<>()$`*?\n", *at) || (word_start && strchr("~#", *at)))
			return at;
		word_start = g_ascii_isspace(*at);
		at++;
	}
	return begins_with_assignment(text) ? text : NULL;
}

static void refuse_shell(const char *text, const char *part, GError **error)
{
	g_autofree char *quoted = g_shell_quote(text);
	g_autofree char *shown = part == text && is_name_byte(*part)
					 ? g_strndup(part, strcspn(part, "=") + 1)
					 : g_strndup(part, 1);

	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
		    "'%s' needs a shell, but none is used: quote it, or use -- sh -c %s",
		    *shown == '\n' ? "a line end" : shown, quoted);
}

char **command_split(const char *text, GError **error)
{
	g_autoptr(GError) reason = NULL;
	g_autofree char *stripped = g_strstrip(g_strdup(text));
	const char *part = shell_part(stripped);
	char **argv = NULL;

	if (part) {
		refuse_shell(stripped, part, error);
		return NULL;
	}
	if (!g_shell_parse_argv(stripped, NULL, &argv, &reason))
		g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s",
			    *stripped ? reason->message : "no command was given");
	return argv;
}

char *command_quote(char **argv)
{
	GString *line = g_string_new(NULL);

	for (char **word = argv; *word; word++) {
		g_autofree char *quoted = NULL;
		const char *at = *word;

		/* A word is quoted if a shell would read it differently. */
		while (is_name_byte(*at) || (*at && strchr("/.,:=+-@%", *at)))
			at++;
		if (*at || !**word)
			quoted = g_shell_quote(*word);
		if (line->len)
			g_string_append_c(line, ' ');
		g_string_append(line, quoted ? quoted : *word);
	}
	return g_string_free(line, FALSE);
}

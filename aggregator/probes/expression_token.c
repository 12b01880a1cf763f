/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cuts a formula into tokens. A const table has the operators with their precedence; errors name
 * the column. Called by expression_parse.c only.
 */
#include "probes/expression_token.h"

#include "base/escape.h"

#include <string.h>

typedef struct {
	const char *written;
	TokenType type;
	NodeType node;
	guint precedence;
} Operator;

/* The longer ones first, since the first that fits is taken. */
static const Operator operators[] = {
	{ "||", TOKEN_OPERATOR, NODE_OR, 1 },
	{ "&&", TOKEN_OPERATOR, NODE_AND, 2 },
	{ "==", TOKEN_OPERATOR, NODE_EQUAL, PRECEDENCE_COMPARISON },
	{ "!=", TOKEN_OPERATOR, NODE_DIFFERENT, PRECEDENCE_COMPARISON },
	{ "<=", TOKEN_OPERATOR, NODE_LESS_OR_EQUAL, PRECEDENCE_COMPARISON },
	{ ">=", TOKEN_OPERATOR, NODE_GREATER_OR_EQUAL, PRECEDENCE_COMPARISON },
	{ "<<", TOKEN_OPERATOR, NODE_SHIFT_LEFT, 7 },
	{ ">>", TOKEN_OPERATOR, NODE_SHIFT_RIGHT, 7 },
	{ "<", TOKEN_OPERATOR, NODE_LESS, PRECEDENCE_COMPARISON },
	{ ">", TOKEN_OPERATOR, NODE_GREATER, PRECEDENCE_COMPARISON },
	{ "~", TOKEN_OPERATOR, NODE_MATCH, PRECEDENCE_COMPARISON },
	{ "|", TOKEN_OPERATOR, NODE_BIT_OR, 4 },
	{ "^", TOKEN_OPERATOR, NODE_BIT_XOR, 5 },
	{ "&", TOKEN_OPERATOR, NODE_BIT_AND, 6 },
	{ "+", TOKEN_OPERATOR, NODE_ADD, 8 },
	{ "-", TOKEN_OPERATOR, NODE_SUBTRACT, 8 },
	{ "*", TOKEN_OPERATOR, NODE_MULTIPLY, 9 },
	{ "/", TOKEN_OPERATOR, NODE_DIVIDE, 9 },
	{ "%", TOKEN_OPERATOR, NODE_REMAINDER, 9 },
	{ "!", TOKEN_NOT, NODE_NOT, 0 },
	{ "(", TOKEN_OPEN, NODE_NUMBER, 0 },
	{ ")", TOKEN_CLOSE, NODE_NUMBER, 0 },
};

bool expression_fail(GError **error, size_t at, const char *format, ...)
{
	g_autofree char *reason = NULL;
	va_list values;

	va_start(values, format);
	reason = g_strdup_vprintf(format, values);
	va_end(values);
	g_set_error(error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "column %zu: %s", at + 1,
		    reason);
	return false;
}

bool expression_fail_expected(GError **error, const Token *token, const char *what)
{
	g_autoptr(GString) found = g_string_new(NULL);

	if (token->type == TOKEN_END)
		return expression_fail(error, token->at, "expected %s, found the end", what);
	escape_append_len(found, token->part.text, token->part.length);
	return expression_fail(error, token->at, "expected %s, found '%s'", what, found->str);
}

static bool is_name_character(char c)
{
	return g_ascii_isalnum(c) || c == '_';
}

/* Takes letters and digits, after a '$': a number must not run into a name. */
static bool read_word(const char *text, Token *token, GError **error)
{
	size_t bytes = *text == '$';
	bool is_hexadecimal = text[0] == '0' && (text[1] | 0x20) == 'x';
	g_autofree char *word = NULL;
	guint64 number;

	while (is_name_character(text[bytes]))
		bytes++;
	token->part = (TextPart){ text, bytes };
	token->type = g_ascii_isdigit(*text) ? TOKEN_NUMBER : TOKEN_NAME;
	if (token->type == TOKEN_NAME)
		return true;
	word = g_strndup(text, bytes);
	if (!g_ascii_string_to_unsigned(word + (is_hexadecimal ? 2 : 0), is_hexadecimal ? 16 : 10,
					0, G_MAXUINT64, &number, NULL))
		return expression_fail(error, token->at,
				       "'%s' is no number below 2^64: write digits, or 0x and "
				       "hexadecimal digits",
				       word);
	token->number = number;
	return true;
}

static bool read_text(const char *text, Token *token, GError **error)
{
	size_t bytes = 0;

	while (text[1 + bytes] && text[1 + bytes] != *text) {
		if (g_ascii_iscntrl(text[1 + bytes]))
			return expression_fail(error, token->at + 1 + bytes,
					       "a control character in a text: remove it");
		bytes++;
	}
	if (!text[1 + bytes])
		return expression_fail(error, token->at, "a text without its end: add %c", *text);
	token->type = TOKEN_TEXT;
	token->part = (TextPart){ text + 1, bytes };
	return true;
}

static bool read_operator(const char *text, Token *token, GError **error)
{
	g_autoptr(GString) shown = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(operators); i++) {
		const Operator *is = &operators[i];

		if (!g_str_has_prefix(text, is->written))
			continue;
		token->type = is->type;
		token->node = is->node;
		token->precedence = is->precedence;
		token->part = (TextPart){ text, strlen(is->written) };
		return true;
	}
	if (*text == '=')
		return expression_fail(error, token->at, "'=' is no operator: use ==");
	escape_append_len(shown, text, 1);
	return expression_fail(error, token->at, "'%s' is not part of an expression: remove it",
			       shown->str);
}

bool expression_next_token(const char *text, size_t *at, Token *token, GError **error)
{
	const char *from;
	bool is_good;

	*at += strspn(text + *at, " \t");
	from = text + *at;
	*token = (Token){ .type = TOKEN_END, .at = *at, .part = { from, 0 } };
	if (!*from)
		return true;
	if (is_name_character(*from) || (*from == '$' && g_ascii_isalpha(from[1])))
		is_good = read_word(from, token, error);
	else if (*from == '"' || *from == '\'')
		is_good = read_text(from, token, error);
	else
		is_good = read_operator(from, token, error);
	*at += token->part.length + (token->type == TOKEN_TEXT ? 2 : 0);
	return is_good;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parser: operator precedence, with one token of look-ahead. Every operator takes a node, so
 * the limit of nodes also limits the depth of the tree, which is walked by recursion. Makes and
 * frees Expressions.
 */
#include "base/escape.h"
#include "base/text_part.h"
#include "probes/expression_node.h"

#include <string.h>

/*
 * Cuts a formula into tokens. A const table has the operators with their precedence; errors name
 * the column.
 */

typedef enum {
	TOKEN_END,
	TOKEN_NUMBER,
	TOKEN_NAME,
	TOKEN_TEXT,
	TOKEN_OPERATOR, /* of two operands; '-' and '~' may also have one */
	TOKEN_NOT,
	TOKEN_OPEN,
	TOKEN_CLOSE,
} TokenType;

typedef struct {
	TokenType type;
	TextPart part; /* as written; of texts without their quotes */
	size_t at;     /* its place in the text, from 0 */
	uint64_t number;
	NodeType node;    /* of operators */
	guint precedence; /* of operators: higher binds tighter */
} Token;

enum { PRECEDENCE_COMPARISON = 3 };

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

/* Sets the error "column N: ...", counted from 1. Returns false. */
static bool expression_fail(GError **error, size_t at, const char *format, ...)
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

/* Sets the error "column N: expected WHAT, found TOKEN". Returns false. */
static bool expression_fail_expected(GError **error, const Token *token, const char *what)
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

enum {
	EXPRESSION_BYTES_MAX = 4096,
	NODES_MAX = 256,
	NAMES_MAX = 32,
	NESTING_MAX = 64, /* of parentheses and of operators before an operand */
};

typedef struct {
	const char *text;
	size_t at; /* behind the next token */
	Token next;
	guint nesting;
	Expression *made;
	GError **error;
} Parser;

/* Reads the next token and moves behind it. Returns false with error set. */
static bool expression_parse_advance(Parser *parser)
{
	Token *token = &parser->next;
	const char *from;
	bool is_good;

	parser->at += strspn(parser->text + parser->at, " \t");
	from = parser->text + parser->at;
	*token = (Token){ .type = TOKEN_END, .at = parser->at, .part = { from, 0 } };
	if (!*from)
		return true;
	if (is_name_character(*from) || (*from == '$' && g_ascii_isalpha(from[1])))
		is_good = read_word(from, token, parser->error);
	else if (*from == '"' || *from == '\'')
		is_good = read_text(from, token, parser->error);
	else
		is_good = read_operator(from, token, parser->error);
	parser->at += token->part.length + (token->type == TOKEN_TEXT ? 2 : 0);
	return is_good;
}

static bool parse_binary(Parser *parser, guint precedence, guint *index);

static bool add_node(Parser *parser, size_t at, Node node, guint *index)
{
	if (parser->made->nodes->len == NODES_MAX)
		return expression_fail(parser->error, at,
				       "more than %u numbers, names and operators: shorten it",
				       NODES_MAX);
	*index = parser->made->nodes->len;
	g_array_append_val(parser->made->nodes, node);
	return true;
}

/* Adds a name, with a slot of its own if it is new. */
static bool add_name(Parser *parser, const Token *token, guint *index)
{
	Expression *made = parser->made;
	Node node = { .type = NODE_NAME };
	guint8 no_use = 0;

	while (node.slot < made->names->len &&
	       !text_part_is(token->part, made->names->pdata[node.slot]))
		node.slot++;
	if (node.slot == made->names->len) {
		g_ptr_array_add(made->names, g_strndup(token->part.text, token->part.length));
		g_array_append_val(made->uses, no_use);
	}
	if (made->names->len > NAMES_MAX)
		return expression_fail(parser->error, token->at, "more than %u names: use fewer",
				       NAMES_MAX);
	return add_node(parser, token->at, node, index);
}

static bool fail_text(Parser *parser, size_t at)
{
	return expression_fail(parser->error, at,
			       "a text is only compared with a name: NAME == \"text\", "
			       "NAME != \"text\" or NAME ~ \"glob\"");
}

/* Checks that an operand has a number, and notes how its name is used. */
static bool use_number(Parser *parser, size_t at, guint index)
{
	const Node *node = expression_node(parser->made, index);

	if (node->type == NODE_TEXT)
		return fail_text(parser, at);
	if (node->type == NODE_NAME)
		g_array_index(parser->made->uses, guint8, node->slot) |= EXPRESSION_USES_NUMBER;
	return true;
}

static bool expression_parse_enter(Parser *parser)
{
	if (++parser->nesting <= NESTING_MAX)
		return true;
	return expression_fail(parser->error, parser->next.at,
			       "more than %u operators or parentheses within each other: "
			       "simplify it",
			       NESTING_MAX);
}

/* Parses what is between "(", which is next, and ")". */
static bool parse_parentheses(Parser *parser, guint *index)
{
	if (!expression_parse_enter(parser) || !expression_parse_advance(parser) ||
	    !parse_binary(parser, 0, index))
		return false;
	parser->nesting--;
	if (parser->next.type != TOKEN_CLOSE)
		return expression_fail_expected(parser->error, &parser->next, "an operator or ')'");
	return expression_parse_advance(parser);
}

/* Adds the operator of one operand. */
static bool add_unary(Parser *parser, size_t at, NodeType type, guint operand, guint *index)
{
	Node node = { .type = type, .left = operand };

	return use_number(parser, at, operand) && add_node(parser, at, node, index);
}

static bool parse_name(Parser *parser, guint *index)
{
	Token name = parser->next;
	guint operand;

	if (!expression_parse_advance(parser))
		return false;
	if (parser->next.type != TOKEN_OPEN)
		return add_name(parser, &name, index);
	if (!text_part_is(name.part, "pages"))
		return expression_fail(parser->error, name.at, "the only function is pages(ORDER)");
	return parse_parentheses(parser, &operand) &&
	       add_unary(parser, name.at, NODE_PAGES, operand, index);
}

static bool parse_operand(Parser *parser, guint *index);

/* Parses the operand of an operator that is before it and next. */
static bool parse_unary(Parser *parser, NodeType type, guint *index)
{
	size_t at = parser->next.at;
	guint operand;

	if (!expression_parse_enter(parser) || !expression_parse_advance(parser) ||
	    !parse_operand(parser, &operand))
		return false;
	parser->nesting--;
	return add_unary(parser, at, type, operand, index);
}

static bool parse_constant(Parser *parser, guint *index)
{
	Token token = parser->next;
	Node node = { .type = NODE_NUMBER,
		      .value = { .number = (int64_t)token.number, .is_unsigned = true } };

	if (!expression_parse_advance(parser))
		return false;
	if (token.type == TOKEN_TEXT) {
		char *text = g_strndup(token.part.text, token.part.length);

		g_ptr_array_add(parser->made->texts, text);
		node = (Node){ .type = NODE_TEXT,
			       .value = { .text = text,
					  .text_bytes = (uint32_t)token.part.length } };
	}
	return add_node(parser, token.at, node, index);
}

static bool parse_operand(Parser *parser, guint *index)
{
	switch (parser->next.type) {
	case TOKEN_NUMBER:
	case TOKEN_TEXT:
		return parse_constant(parser, index);
	case TOKEN_NAME:
		return parse_name(parser, index);
	case TOKEN_OPEN:
		return parse_parentheses(parser, index);
	case TOKEN_NOT:
		return parse_unary(parser, NODE_NOT, index);
	case TOKEN_OPERATOR:
		if (parser->next.node == NODE_SUBTRACT)
			return parse_unary(parser, NODE_NEGATE, index);
		if (parser->next.node == NODE_MATCH)
			return parse_unary(parser, NODE_COMPLEMENT, index);
		break;
	default:
		break;
	}
	return expression_fail_expected(parser->error, &parser->next, "a number or a name");
}

/* Returns the comparison of a name with a text, or NODE_NUMBER if there is none. */
static NodeType text_comparison(NodeType type)
{
	switch (type) {
	case NODE_EQUAL:
		return NODE_TEXT_EQUAL;
	case NODE_DIFFERENT:
		return NODE_TEXT_DIFFERENT;
	case NODE_MATCH:
		return NODE_TEXT_MATCH;
	default:
		return NODE_NUMBER;
	}
}

static bool add_text_comparison(Parser *parser, const Token *token, Node node, guint *index)
{
	bool is_reversed = expression_node(parser->made, node.left)->type == NODE_TEXT &&
			   node.type != NODE_MATCH;
	Node made = { .type = text_comparison(node.type),
		      .left = is_reversed ? node.right : node.left,
		      .right = is_reversed ? node.left : node.right };
	const Node *name = expression_node(parser->made, made.left);

	if (made.type == NODE_NUMBER || name->type != NODE_NAME)
		return fail_text(parser, token->at);
	g_array_index(parser->made->uses, guint8, name->slot) |= EXPRESSION_USES_TEXT;
	return add_node(parser, token->at, made, index);
}

static bool add_binary(Parser *parser, const Token *token, guint left, guint right, guint *index)
{
	Node node = { .type = token->node, .left = left, .right = right };

	if (expression_node(parser->made, left)->type == NODE_TEXT ||
	    expression_node(parser->made, right)->type == NODE_TEXT)
		return add_text_comparison(parser, token, node, index);
	if (node.type == NODE_MATCH)
		return fail_text(parser, token->at);
	return use_number(parser, token->at, left) && use_number(parser, token->at, right) &&
	       add_node(parser, token->at, node, index);
}

/* Parses operands and the operators between them that bind tighter than precedence. */
static bool parse_binary(Parser *parser, guint precedence, guint *index)
{
	bool is_comparison = false;

	if (!parse_operand(parser, index))
		return false;
	while (parser->next.type == TOKEN_OPERATOR && parser->next.precedence > precedence) {
		Token token = parser->next;
		guint right;

		if (token.precedence == PRECEDENCE_COMPARISON && is_comparison)
			return expression_fail(parser->error, token.at,
					       "a comparison of a comparison: use && or "
					       "parentheses");
		is_comparison = token.precedence == PRECEDENCE_COMPARISON;
		if (!expression_parse_advance(parser) ||
		    !parse_binary(parser, token.precedence, &right) ||
		    !add_binary(parser, &token, *index, right, index))
			return false;
	}
	return true;
}

static bool parse_text(Parser *parser)
{
	Expression *made = parser->made;
	const Node *root;

	if (strlen(parser->text) > EXPRESSION_BYTES_MAX)
		return expression_fail(parser->error, EXPRESSION_BYTES_MAX,
				       "an expression ends here at the latest: shorten it");
	if (!expression_parse_advance(parser) || !parse_binary(parser, 0, &made->root))
		return false;
	if (parser->next.type != TOKEN_END)
		return expression_fail_expected(parser->error, &parser->next, "an operator");
	root = expression_node(made, made->root);
	if (root->type == NODE_TEXT)
		return fail_text(parser, 0);
	if (root->type == NODE_NAME)
		g_array_index(made->uses, guint8, root->slot) |= EXPRESSION_USES_EITHER;
	return true;
}

Expression *expression_parse(const char *text, GError **error)
{
	g_autoptr(Expression) made = g_new0(Expression, 1);
	Parser parser = { .text = text, .made = made, .error = error };

	made->nodes = g_array_new(FALSE, FALSE, sizeof(Node));
	made->names = g_ptr_array_new_with_free_func(g_free);
	made->uses = g_array_new(FALSE, FALSE, sizeof(guint8));
	made->texts = g_ptr_array_new_with_free_func(g_free);
	return parse_text(&parser) ? g_steal_pointer(&made) : NULL;
}

void expression_free(Expression *expression)
{
	if (!expression)
		return;
	g_array_unref(expression->nodes);
	g_ptr_array_unref(expression->names);
	g_array_unref(expression->uses);
	g_ptr_array_unref(expression->texts);
	g_free(expression);
}

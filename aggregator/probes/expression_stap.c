/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Expressions in SystemTap's language. Its operators are those of C, with other precedence, so
 * every operation is written with parentheses. A division by 0 would end the run, so only divisions
 * by a number are translated, and shifts only by numbers below 64 or by a name. stap_points.c
 * writes its scripts with it.
 */
#include "base/hot_assert.h"
#include "probes/expression_node.h"

#include <inttypes.h>
#include <string.h>

typedef struct {
	const Expression *expression;
	ExpressionStapFind find;
	void *data;
	GError **error;
} Translation;

/* How an operator is written; NULL: it has no counterpart. */
static const char *const operators[] = {
	[NODE_NEGATE] = "-",         [NODE_COMPLEMENT] = "~",   [NODE_NOT] = "!",
	[NODE_PAGES] = "1 << ",      [NODE_OR] = "||",          [NODE_AND] = "&&",
	[NODE_EQUAL] = "==",         [NODE_DIFFERENT] = "!=",   [NODE_LESS] = "<",
	[NODE_LESS_OR_EQUAL] = "<=", [NODE_GREATER] = ">",      [NODE_GREATER_OR_EQUAL] = ">=",
	[NODE_BIT_OR] = "|",         [NODE_BIT_XOR] = "^",      [NODE_BIT_AND] = "&",
	[NODE_SHIFT_LEFT] = "<<",    [NODE_SHIFT_RIGHT] = ">>", [NODE_ADD] = "+",
	[NODE_SUBTRACT] = "-",       [NODE_MULTIPLY] = "*",     [NODE_DIVIDE] = "/",
	[NODE_REMAINDER] = "%",      [NODE_TEXT_EQUAL] = "==",  [NODE_TEXT_DIFFERENT] = "!=",
	[NODE_TEXT_MATCH] = NULL,
};

G_GNUC_PRINTF(2, 3)
static char *expression_stap_fail(const Translation *job, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	if (job->error)
		*job->error = g_error_new_valist(G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, format,
						 arguments);
	va_end(arguments);
	return NULL;
}

static char *expression_stap_translate(const Translation *job, guint index);

/* is_text: the operator compares texts. */
static char *name_of(const Translation *job, guint index, bool is_text)
{
	const Node *node = expression_node(job->expression, index);
	const char *name = expression_name(job->expression, node->slot);
	bool found_text = false;
	char *written = job->find(name, &found_text, job->data);

	if (!written)
		return expression_stap_fail(job, "SystemTap does not know \"%s\" here", name);
	if (found_text == is_text)
		return written;
	g_free(written);
	return expression_stap_fail(job, "\"%s\" is a %s", name, is_text ? "number" : "text");
}

/* SystemTap's strings have escapes, and no NUL. */
static char *text_of(const Translation *job, guint index)
{
	const ExpressionValue *value = &expression_node(job->expression, index)->value;
	g_autofree char *text = g_strndup(value->text, value->text_bytes);
	g_autofree char *escaped = g_strescape(text, NULL);

	return g_strdup_printf("\"%s\"", escaped);
}

static char *compare_texts(const Translation *job, const Node *node)
{
	g_autofree char *left = NULL;
	g_autofree char *right = NULL;

	hot_assert(node->type < G_N_ELEMENTS(operators));
	if (!operators[node->type])
		return expression_stap_fail(
			job, "SystemTap has no globs like %s",
			expression_node(job->expression, node->right)->value.text);
	left = name_of(job, node->left, true);
	if (!left)
		return NULL;
	right = text_of(job, node->right);
	return g_strdup_printf("(%s %s %s)", left, operators[node->type], right);
}

/* Whether SystemTap would compute something else with this operand. */
static bool is_trap(NodeType type, const Node *operand, bool is_right)
{
	const ExpressionValue *value = &operand->value;
	bool is_number = operand->type == NODE_NUMBER;

	if (type >= NODE_LESS && type <= NODE_GREATER_OR_EQUAL)
		return is_number && value->is_unsigned && value->number < 0;
	if (!is_right)
		return false;
	if (type == NODE_DIVIDE || type == NODE_REMAINDER)
		return !is_number || !value->number;
	if (type == NODE_SHIFT_LEFT || type == NODE_SHIFT_RIGHT)
		return operand->type != NODE_NAME &&
		       !(is_number && value->number >= 0 && value->number < 64);
	return false;
}

static char *expression_stap_join(const Translation *job, const Node *node)
{
	const Node *left_node = expression_node(job->expression, node->left);
	const Node *right_node = expression_node(job->expression, node->right);
	g_autofree char *left = NULL;
	g_autofree char *right = NULL;

	hot_assert(node->type < G_N_ELEMENTS(operators));
	if (is_trap(node->type, left_node, false) || is_trap(node->type, right_node, true))
		return expression_stap_fail(
			job, "SystemTap computes \"%s\" otherwise with such an operand",
			operators[node->type]);
	left = expression_stap_translate(job, node->left);
	right = left ? expression_stap_translate(job, node->right) : NULL;
	return right ? g_strdup_printf("(%s %s %s)", left, operators[node->type], right) : NULL;
}

static char *expression_stap_translate(const Translation *job, guint index)
{
	const Node *node = expression_node(job->expression, index);
	g_autofree char *operand = NULL;

	if (node->type == NODE_NUMBER)
		return g_strdup_printf("%" PRId64, node->value.number);
	if (node->type == NODE_NAME)
		return name_of(job, index, false);
	if (node->type == NODE_TEXT)
		return expression_stap_fail(job, "a text alone is no value");
	if (node->type >= NODE_TEXT_EQUAL)
		return compare_texts(job, node);
	if (node->type >= NODE_OR)
		return expression_stap_join(job, node);
	operand = expression_stap_translate(job, node->left);
	return operand ? g_strdup_printf("(%s%s)", operators[node->type], operand) : NULL;
}

char *expression_stap(const Expression *expression, ExpressionStapFind find, void *data,
		      GError **error)
{
	const Translation job = { expression, find, data, error };

	return expression_stap_translate(&job, expression->root);
}

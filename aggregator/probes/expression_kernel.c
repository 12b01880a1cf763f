/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Translates a formula into a filter of a tracepoint, so that the kernel drops most events that
 * would not count. The filter may let more through than the formula: every event is evaluated
 * again. The perf collector calls it once for each point.
 */
#include "probes/expression_node.h"

#include <inttypes.h>
#include <string.h>

/*
 * Filters for the kernel (kernel/trace/trace_events_filter.c, the same rules from 4.17 to 7.2):
 *
 *  - A predicate is FIELD OP CONSTANT; numbers have == != < <= > >= &, texts == != ~. There are
 *    && || ! and parentheses. A predicate cannot be negated without parentheses.
 *  - parse_pred() takes constants of signed fields by kstrtoll(), of others by kstrtoull(), and
 *    the comparison cuts them to the size of the field: they must fit it.
 *  - A glob that begins with '!' is negated, one that begins with a digit is compared as it is
 *    (filter_parse_regex()), '\' escapes in it, and texts have at most 255 bytes
 *    (MAX_FILTER_STR_VAL).
 *  - A filter has less than a page (ftrace_profile_set_filter() of perf: the ioctl's limit).
 *
 * A part that the kernel cannot test is left out of "&&", where the filter only becomes weaker; an
 * "||" with such a part is left out as a whole. "!" is moved down to the comparisons, so that
 * weaker parts stay weaker.
 */

enum {
	FILTER_BYTES_MAX = 4000,
	TEXT_BYTES_MAX = 255,
};

typedef struct {
	const Expression *expression;
	ExpressionFieldFind find;
	void *data;
} Translation;

typedef struct {
	NodeType type;
	NodeType negated;  /* !(a < b) is a >= b */
	NodeType reversed; /* a < b is b > a */
	const char *written;
} Comparison;

static const Comparison comparisons[] = {
	{ NODE_EQUAL, NODE_DIFFERENT, NODE_EQUAL, "==" },
	{ NODE_DIFFERENT, NODE_EQUAL, NODE_DIFFERENT, "!=" },
	{ NODE_LESS, NODE_GREATER_OR_EQUAL, NODE_GREATER, "<" },
	{ NODE_LESS_OR_EQUAL, NODE_GREATER, NODE_GREATER_OR_EQUAL, "<=" },
	{ NODE_GREATER, NODE_LESS_OR_EQUAL, NODE_LESS, ">" },
	{ NODE_GREATER_OR_EQUAL, NODE_LESS, NODE_LESS_OR_EQUAL, ">=" },
};

static const Comparison *find_comparison(NodeType type)
{
	for (guint i = 0; i < G_N_ELEMENTS(comparisons); i++)
		if (comparisons[i].type == type)
			return &comparisons[i];
	return NULL;
}

/* Returns a predicate, or NULL if the kernel cannot test this part. */
static char *expression_kernel_translate(const Translation *job, guint index, bool is_negated);

/* Whether the subtree has no name, and what it is then. */
static bool is_constant(const Translation *job, guint index, ExpressionValue *value)
{
	const Node *node = expression_node(job->expression, index);
	Expression part = *job->expression;
	ExpressionValue ignored;
	uint64_t divisions = 0;

	if (node->type == NODE_NAME || node->type == NODE_TEXT)
		return false;
	if (node->type > NODE_TEXT && !is_constant(job, node->left, &ignored))
		return false;
	if (node->type >= NODE_OR && !is_constant(job, node->right, &ignored))
		return false;
	part.root = index;
	*value = expression_evaluate(&part, NULL, &divisions);
	return true;
}

/* Returns the name of a field of texts or numbers that the node is, or NULL. */
static const char *find_field(const Translation *job, guint index, bool is_text,
			      ExpressionField *field)
{
	const Node *node = expression_node(job->expression, index);
	const char *name;

	if (node->type != NODE_NAME)
		return NULL;
	name = expression_field_name(expression_name(job->expression, node->slot));
	return job->find(name, field, job->data) && field->is_text == is_text ? name : NULL;
}

/* Returns the name of a field of numbers that the node is, or NULL. */
static const char *number_field(const Translation *job, guint index, ExpressionField *field)
{
	return find_field(job, index, false, field);
}

/* Whether the field can have this value. */
static bool expression_kernel_fits(const ExpressionField *field, const ExpressionValue *value)
{
	guint bits = field->bytes * 8U;
	uint64_t largest;

	if (!bits || bits > 64)
		return false;
	largest = UINT64_MAX >> (64 - bits) >> field->is_signed;
	if (value->number < 0 && !value->is_unsigned)
		return field->is_signed && ~(uint64_t)value->number <= largest;
	return (uint64_t)value->number <= largest;
}

static char *expression_kernel_predicate(const char *name, const char *written,
					 const ExpressionValue *value)
{
	if (value->is_unsigned)
		return g_strdup_printf("%s %s %" PRIu64, name, written, (uint64_t)value->number);
	return g_strdup_printf("%s %s %" PRId64, name, written, value->number);
}

/* The predicate for FIELD & MASK, where the node is that. */
static char *translate_mask(const Translation *job, guint index)
{
	const Node *node = expression_node(job->expression, index);
	ExpressionField field;
	ExpressionValue mask;
	const char *name;

	if (node->type != NODE_BIT_AND)
		return NULL;
	name = number_field(job, node->left, &field);
	if (name ? !is_constant(job, node->right, &mask) : !is_constant(job, node->left, &mask))
		return NULL;
	if (!name)
		name = number_field(job, node->right, &field);
	return name && expression_kernel_fits(&field, &mask)
		       ? expression_kernel_predicate(name, "&", &mask)
		       : NULL;
}

static char *expression_kernel_negate(char *taken)
{
	g_autofree char *test = taken;

	return test ? g_strdup_printf("!(%s)", test) : NULL;
}

/* A number as a condition: FIELD, or FIELD & MASK. */
static char *translate_number(const Translation *job, guint index, bool is_negated)
{
	const ExpressionValue zero = { 0 };
	ExpressionField field;
	const char *name = number_field(job, index, &field);
	char *mask;

	if (name)
		return expression_kernel_predicate(name, is_negated ? "==" : "!=", &zero);
	mask = translate_mask(job, index);
	return is_negated ? expression_kernel_negate(mask) : mask;
}

/* (FIELD & MASK) == VALUE: with several bits in the mask, the test for any of them is weaker. */
static char *translate_mask_comparison(const Translation *job, guint index, NodeType type,
				       const ExpressionValue *value)
{
	if (type == NODE_EQUAL)
		return value->number ? translate_mask(job, index)
				     : expression_kernel_negate(translate_mask(job, index));
	if (type == NODE_DIFFERENT && !value->number)
		return translate_mask(job, index);
	return NULL;
}

static char *translate_comparison(const Translation *job, const Node *node, bool is_negated)
{
	const Comparison *is = find_comparison(node->type);
	NodeType type = is_negated ? is->negated : is->type;
	guint side = node->left;
	ExpressionField field;
	ExpressionValue value;
	const char *name;

	if (is_constant(job, node->left, &value)) {
		type = find_comparison(type)->reversed;
		side = node->right;
	} else if (!is_constant(job, node->right, &value)) {
		return NULL;
	}
	name = number_field(job, side, &field);
	if (!name)
		return translate_mask_comparison(job, side, type, &value);
	return expression_kernel_fits(&field, &value)
		       ? expression_kernel_predicate(name, find_comparison(type)->written, &value)
		       : NULL;
}

static char *translate_text(const Translation *job, const Node *node, bool is_negated)
{
	const ExpressionValue *with = &expression_node(job->expression, node->right)->value;
	bool is_glob = node->type == NODE_TEXT_MATCH;
	bool is_equal = (node->type == NODE_TEXT_EQUAL) != is_negated;
	char quote = strchr(with->text, '"') ? '\'' : '"';
	ExpressionField field;
	const char *name = find_field(job, node->left, true, &field);
	char *test;

	if (!name || !with->text_bytes || with->text_bytes > TEXT_BYTES_MAX)
		return NULL;
	/* The kernel reads such a glob otherwise. */
	if (is_glob &&
	    (*with->text == '!' || g_ascii_isdigit(*with->text) || strpbrk(with->text, "[\\")))
		return NULL;
	test = g_strdup_printf("%s %s %c%s%c", name,
			       is_glob    ? "~"
			       : is_equal ? "=="
					  : "!=",
			       quote, with->text, quote);
	return is_glob && is_negated ? expression_kernel_negate(test) : test;
}

static char *translate_logic(const Translation *job, const Node *node, bool is_negated)
{
	bool is_and = (node->type == NODE_AND) != is_negated;
	g_autofree char *left = expression_kernel_translate(job, node->left, is_negated);
	g_autofree char *right = expression_kernel_translate(job, node->right, is_negated);

	if (left && right)
		return g_strdup_printf("(%s) %s (%s)", left, is_and ? "&&" : "||", right);
	if (!is_and)
		return NULL;
	return left ? g_steal_pointer(&left) : g_steal_pointer(&right);
}

static char *expression_kernel_translate(const Translation *job, guint index, bool is_negated)
{
	const Node *node = expression_node(job->expression, index);

	if (node->type == NODE_NOT)
		return expression_kernel_translate(job, node->left, !is_negated);
	if (node->type == NODE_AND || node->type == NODE_OR)
		return translate_logic(job, node, is_negated);
	if (find_comparison(node->type))
		return translate_comparison(job, node, is_negated);
	if (node->type >= NODE_TEXT_EQUAL)
		return translate_text(job, node, is_negated);
	return translate_number(job, index, is_negated);
}

char *expression_kernel_filter(const Expression *expression, ExpressionFieldFind find, void *data)
{
	Translation job = { expression, find, data };
	g_autofree char *filter = expression_kernel_translate(&job, expression->root, false);

	return filter && strlen(filter) <= FILTER_BYTES_MAX ? g_steal_pointer(&filter) : NULL;
}

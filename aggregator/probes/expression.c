/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Evaluates a formula: a walk over its tree of nodes, without allocation, for each hit. The tree is
 * made by expression_parse.c. Numbers are 64 bits with a flag for what only a uint64_t can have.
 */
#include "probes/expression.h"

#include "base/hot_assert.h"
#include "probes/expression_node.h"

#include <string.h>

/*
 * Matches a glob without recursion: on a mismatch only the last star takes one character more.
 * For the operator that compares texts, for each hit.
 */

/* Returns the bytes of the class "[...]" at the start of the pattern, or 0 if it has no end. A ']'
   right after the start is a member. */
static size_t class_bytes(const char *pattern, size_t bytes)
{
	size_t at = bytes > 1 && pattern[1] == '!' ? 2 : 1;
	const char *end;

	if (at + 1 >= bytes)
		return 0;
	end = memchr(pattern + at + 1, ']', bytes - at - 1);
	return end ? (size_t)(end - pattern) + 1 : 0;
}

static bool class_has(const char *pattern, size_t bytes, unsigned char c)
{
	bool is_negated = pattern[1] == '!';
	bool is_member = false;

	for (size_t at = 1 + is_negated; at < bytes - 1; at++) {
		unsigned char first = (unsigned char)pattern[at], last = first;

		if (at + 2 < bytes - 1 && pattern[at + 1] == '-') {
			last = (unsigned char)pattern[at + 2];
			at += 2;
		}
		is_member |= first <= c && c <= last;
	}
	return is_member != is_negated;
}

/* Returns how much of the pattern stands for this character, or 0 if it does not match. */
static size_t match_one(const char *pattern, size_t bytes, char c)
{
	size_t of_class = *pattern == '[' ? class_bytes(pattern, bytes) : 0;

	if (of_class)
		return class_has(pattern, of_class, (unsigned char)c) ? of_class : 0;
	return *pattern == '?' || *pattern == c;
}

/* On a mismatch, the last '*' takes one character more: earlier ones need no second try. */
bool expression_glob_match(const char *pattern, size_t pattern_bytes, const char *text,
			   size_t text_bytes)
{
	size_t at = 0, text_at = 0;
	size_t star = pattern_bytes, star_text = 0;

	while (text_at < text_bytes) {
		size_t taken = 0;

		if (at < pattern_bytes && pattern[at] == '*') {
			star = at++;
			star_text = text_at;
			continue;
		}
		if (at < pattern_bytes)
			taken = match_one(pattern + at, pattern_bytes - at, text[text_at]);
		if (!taken && star == pattern_bytes)
			return false;
		at = taken ? at + taken : star + 1;
		text_at = taken ? text_at + 1 : ++star_text;
	}
	while (at < pattern_bytes && pattern[at] == '*')
		at++;
	return at == pattern_bytes;
}

/*
 * Evaluation. A number is an int64_t, or, from 2^63 on, a uint64_t: only then is_unsigned is set.
 * So equal numbers have equal representations, and signs are compared before bits. All arithmetic
 * is done in uint64_t, which wraps.
 */

typedef struct {
	const Expression *expression;
	const ExpressionValue *values;
	uint64_t *divisions_by_zero;
} Evaluation;

guint expression_names(const Expression *expression)
{
	return expression->names->len;
}

const char *expression_name(const Expression *expression, guint slot)
{
	hot_assert(slot < expression->names->len);
	return expression->names->pdata[slot];
}

guint expression_name_uses(const Expression *expression, guint slot)
{
	hot_assert(slot < expression->uses->len);
	return g_array_index(expression->uses, guint8, slot);
}

static ExpressionValue expression_number(uint64_t bits, bool is_unsigned)
{
	return (ExpressionValue){ .number = (int64_t)bits,
				  .is_unsigned = is_unsigned && bits >> 63 };
}

static uint64_t bits_of(const ExpressionValue *value)
{
	return (uint64_t)value->number;
}

static bool is_negative(const ExpressionValue *value)
{
	return value->number < 0 && !value->is_unsigned;
}

static bool is_less(const ExpressionValue *a, const ExpressionValue *b)
{
	if (is_negative(a) != is_negative(b))
		return is_negative(a);
	return bits_of(a) < bits_of(b);
}

static bool is_equal(const ExpressionValue *a, const ExpressionValue *b)
{
	return a->number == b->number && a->is_unsigned == b->is_unsigned;
}

static uint64_t expression_magnitude(const ExpressionValue *value)
{
	return is_negative(value) ? -bits_of(value) : bits_of(value);
}

/* Divides like C: towards 0. The remainder has the sign of the dividend. */
static ExpressionValue expression_divide(const Evaluation *run, NodeType type,
					 const ExpressionValue *a, const ExpressionValue *b)
{
	uint64_t result;
	bool is_minus;

	if (!b->number) {
		++*run->divisions_by_zero;
		return expression_number(0, false);
	}
	if (type == NODE_REMAINDER) {
		result = expression_magnitude(a) % expression_magnitude(b);
		is_minus = is_negative(a);
	} else {
		result = expression_magnitude(a) / expression_magnitude(b);
		is_minus = is_negative(a) != is_negative(b);
	}
	return expression_number(is_minus ? -result : result, !is_minus);
}

static ExpressionValue shift_left(const ExpressionValue *a, const ExpressionValue *b)
{
	uint64_t by = bits_of(b);

	return expression_number(by < 64 ? bits_of(a) << by : 0, !is_negative(a));
}

static ExpressionValue shift_right(const ExpressionValue *a, const ExpressionValue *b)
{
	uint64_t by = bits_of(b);
	uint64_t fill = is_negative(a) ? UINT64_MAX : 0;

	if (by >= 64)
		return expression_number(fill, false);
	return expression_number(by ? bits_of(a) >> by | fill << (64 - by) : bits_of(a),
				 !is_negative(a));
}

/* Compares up to the end of each text. */
static bool is_text_true(const ExpressionValue *text, const ExpressionValue *with, NodeType type)
{
	size_t bytes = text->text ? strnlen(text->text, text->text_bytes) : 0;

	if (type == NODE_TEXT_MATCH)
		return expression_glob_match(with->text, with->text_bytes, text->text, bytes);
	return (bytes == with->text_bytes && (!bytes || !memcmp(text->text, with->text, bytes))) ==
	       (type == NODE_TEXT_EQUAL);
}

static ExpressionValue expression_calculate(const Evaluation *run, NodeType type,
					    const ExpressionValue *a, const ExpressionValue *b)
{
	bool is_any_unsigned = a->is_unsigned || b->is_unsigned;
	bool is_positive = !is_negative(a) && !is_negative(b);

	switch (type) {
	case NODE_EQUAL:
		return expression_number(is_equal(a, b), false);
	case NODE_DIFFERENT:
		return expression_number(!is_equal(a, b), false);
	case NODE_LESS:
		return expression_number(is_less(a, b), false);
	case NODE_LESS_OR_EQUAL:
		return expression_number(!is_less(b, a), false);
	case NODE_GREATER:
		return expression_number(is_less(b, a), false);
	case NODE_GREATER_OR_EQUAL:
		return expression_number(!is_less(a, b), false);
	case NODE_BIT_OR:
		return expression_number(bits_of(a) | bits_of(b), is_any_unsigned);
	case NODE_BIT_XOR:
		return expression_number(bits_of(a) ^ bits_of(b), is_any_unsigned);
	case NODE_BIT_AND:
		return expression_number(bits_of(a) & bits_of(b), is_any_unsigned);
	case NODE_SHIFT_LEFT:
		return shift_left(a, b);
	case NODE_SHIFT_RIGHT:
		return shift_right(a, b);
	case NODE_ADD:
		return expression_number(bits_of(a) + bits_of(b), is_any_unsigned || is_positive);
	case NODE_SUBTRACT:
		return expression_number(bits_of(a) - bits_of(b), !is_less(a, b));
	case NODE_MULTIPLY:
		return expression_number(bits_of(a) * bits_of(b), is_positive);
	default:
		return expression_divide(run, type, a, b);
	}
}

static ExpressionValue evaluate(const Evaluation *run, guint index);

static ExpressionValue evaluate_unary(const Evaluation *run, const Node *node)
{
	const ExpressionValue one = expression_number(1, false);
	ExpressionValue operand = evaluate(run, node->left);

	switch (node->type) {
	case NODE_NEGATE:
		return expression_number(-bits_of(&operand), is_negative(&operand));
	case NODE_COMPLEMENT:
		return expression_number(~bits_of(&operand), false);
	case NODE_NOT:
		return expression_number(!operand.number, false);
	default:
		return shift_left(&one, &operand);
	}
}

static ExpressionValue evaluate_binary(const Evaluation *run, const Node *node)
{
	bool is_logic = node->type == NODE_OR || node->type == NODE_AND;
	ExpressionValue left = evaluate(run, node->left), right;
	bool is_true = left.number;

	/* The right side is evaluated only if it decides: it may divide by what the left side
	   excludes. */
	if (is_logic && is_true == (node->type == NODE_AND))
		is_true = evaluate(run, node->right).number;
	if (is_logic)
		return expression_number(is_true, false);
	right = evaluate(run, node->right);
	if (node->type >= NODE_TEXT_EQUAL)
		return expression_number((uint64_t)is_text_true(&left, &right, node->type), false);
	return expression_calculate(run, node->type, &left, &right);
}

static ExpressionValue evaluate(const Evaluation *run, guint index)
{
	const Node *node = expression_node(run->expression, index);

	if (node->type == NODE_NUMBER)
		return expression_number(bits_of(&node->value), true);
	if (node->type == NODE_TEXT)
		return node->value;
	if (node->type == NODE_NAME) {
		ExpressionValue value = run->values[node->slot];

		value.is_unsigned = value.is_unsigned && value.number < 0;
		return value;
	}
	return node->type < NODE_OR ? evaluate_unary(run, node) : evaluate_binary(run, node);
}

ExpressionValue expression_evaluate(const Expression *expression, const ExpressionValue *values,
				    uint64_t *divisions_by_zero)
{
	Evaluation run = { expression, values, divisions_by_zero };

	return evaluate(&run, expression->root);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/hot_assert.h"
#include "probes/expression.h"

/* The tree of an expression, for the files expression*.c only. */

typedef enum {
	NODE_NUMBER,
	NODE_NAME,
	NODE_TEXT,
	/* One operand, left. */
	NODE_NEGATE,
	NODE_COMPLEMENT,
	NODE_NOT,
	NODE_PAGES,
	/* Two operands. */
	NODE_OR,
	NODE_AND,
	NODE_EQUAL,
	NODE_DIFFERENT,
	NODE_LESS,
	NODE_LESS_OR_EQUAL,
	NODE_GREATER,
	NODE_GREATER_OR_EQUAL,
	NODE_MATCH,
	NODE_BIT_OR,
	NODE_BIT_XOR,
	NODE_BIT_AND,
	NODE_SHIFT_LEFT,
	NODE_SHIFT_RIGHT,
	NODE_ADD,
	NODE_SUBTRACT,
	NODE_MULTIPLY,
	NODE_DIVIDE,
	NODE_REMAINDER,
	/* Left a name, right a text. */
	NODE_TEXT_EQUAL,
	NODE_TEXT_DIFFERENT,
	NODE_TEXT_MATCH,
} NodeType;

typedef struct {
	ExpressionValue value; /* of NODE_NUMBER and NODE_TEXT */
	NodeType type;
	guint slot;        /* of NODE_NAME */
	guint left, right; /* of operators: indexes of nodes, smaller than their own */
} Node;

struct Expression {
	GArray *nodes; /* Node */
	guint root;
	GPtrArray *names;
	GArray *uses;     /* guint8, as names */
	GPtrArray *texts; /* what the nodes borrow */
};

static inline const Node *expression_node(const Expression *expression, guint index)
{
	hot_assert(index < expression->nodes->len);
	return &g_array_index(expression->nodes, Node, index);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/text_part.h"
#include "probes/expression_node.h"

/* The words of an expression. */

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

/* Reads the token at *at and moves *at behind it. Returns false with error set. */
bool expression_next_token(const char *text, size_t *at, Token *token, GError **error);

/* Sets the error "column N: ...", counted from 1. Returns false. */
bool expression_fail(GError **error, size_t at, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Sets the error "column N: expected WHAT, found TOKEN". Returns false. */
bool expression_fail_expected(GError **error, const Token *token, const char *what);

/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether a text that is not terminated matches a glob with * ? [a-z] [!a-z]; a '[' without its end
   is an ordinary character. At most pattern x text steps, no allocation. */
bool expression_glob_match(const char *pattern, size_t pattern_bytes, const char *text,
			   size_t text_bytes);

/*
 * Expression is a formula over the fields of an event: of --weight, --where, --print and presets.
 *
 *   numbers     12, 0x1f
 *   names       order, arg1, retval, latency: whoever evaluates knows what they mean. $comm is a
 *               field of the event even if the name has another meaning there
 *   pages(X)    1 << X
 *   operators   ||  &&  == != < <= > >= ~  |  ^  &  << >>  + -  * / %  and unary - ~ !
 *               from the loosest to the tightest. Unlike in C, & | ^ bind tighter than comparisons:
 *               flags & 0x20 == 0 is (flags & 0x20) == 0
 *   "text"      only compared with a name: comm == "bash", comm != "bash", or comm ~ "py*" (a glob
 *               with * ? [a-z] [!a-z]). 'text' is the same; there are no escapes.
 *
 * Numbers are integers from -2^63 to 2^64-1, and are compared by value, whatever their sign; a
 * result outside that range wraps. Dividing by 0 gives 0. A shift by 64 or more, or by a negative
 * number, shifts all bits out.
 *
 * The text is untrusted: its length, its nesting and the number of its parts are limited.
 */
typedef struct Expression Expression;

/* The value of a name, and of an expression. */
typedef struct {
	int64_t number;   /* of texts 0 */
	const char *text; /* borrowed, ends at a NUL or after text_bytes; of numbers NULL */
	uint32_t text_bytes;
	bool is_unsigned; /* the number is a uint64_t; it matters from 2^63 on */
} ExpressionValue;

/* How an expression uses a name: bits. */
typedef enum {
	EXPRESSION_USES_NUMBER = 1,
	EXPRESSION_USES_TEXT = 2,
	EXPRESSION_USES_EITHER = 4, /* the expression is only this name */
} ExpressionUse;

/* Returns the expression, owned by the caller, or NULL with error set (G_OPTION_ERROR), like
   "column 7: expected a number or a name, found ')'". Columns are bytes, from 1. */
Expression *expression_parse(const char *text, GError **error);
void expression_free(Expression *expression);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Expression, expression_free)

/* The distinct names that the expression needs, in the order of their first use: the index of a
   name is its slot. */
guint expression_names(const Expression *expression);
const char *expression_name(const Expression *expression, guint slot);

/* Returns the field that a name means: the name without its '$'. */
static inline const char *expression_field_name(const char *name)
{
	return name + (*name == '$');
}

/* Returns bits of ExpressionUse. Whoever gives a name a text must refuse USES_NUMBER, and the
   reverse: evaluation takes the missing number for 0, and the missing text for empty. */
guint expression_name_uses(const Expression *expression, guint slot);

/*
 * Evaluates; values has one for each slot. Allocates nothing. Comparisons give 1 or 0. The result
 * has a text only if the expression is the name of a text.
 * divisions_by_zero is increased by each one.
 */
ExpressionValue expression_evaluate(const Expression *expression, const ExpressionValue *values,
				    uint64_t *divisions_by_zero);

/* Evaluates a condition. */
static inline bool expression_is_true(const Expression *expression, const ExpressionValue *values,
				      uint64_t *divisions_by_zero)
{
	return expression_evaluate(expression, values, divisions_by_zero).number != 0;
}

/* A field as the kernel's filters know it. */
typedef struct {
	bool is_text;
	bool is_signed;
	uint8_t bytes; /* of a number: 1, 2, 4 or 8 */
} ExpressionField;

/* Returns whether the kernel can filter by this name, a field's without its '$', and sets field. */
typedef bool (*ExpressionFieldFind)(const char *name, ExpressionField *field, void *data);

/*
 * Returns a filter for a tracepoint (Documentation/trace/events.rst, "Event filtering"), owned by
 * the caller, that lets at least all events pass for which the expression is true, or NULL if the
 * kernel cannot filter any. Every event that passes must still be evaluated here.
 */
char *expression_kernel_filter(const Expression *expression, ExpressionFieldFind find, void *data);

/* Returns the name's value in SystemTap's language, a number or a string, owned by the caller, or
   NULL if SystemTap does not know it. *is_text says which; it is false at first. */
typedef char *(*ExpressionStapFind)(const char *name, bool *is_text, void *data);

/* Returns the expression in SystemTap's language, owned by the caller, or NULL with error set: the
   part that cannot be expressed there, like "comm ~ \"py*\"". SystemTap's numbers are int64_t:
   larger ones wrap, which only the comparisons of order notice. */
char *expression_stap(const Expression *expression, ExpressionStapFind find, void *data,
		      GError **error);

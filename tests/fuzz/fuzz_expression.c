/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A formula of the command line or of a preset: its values, and the kernel's filter for it. */
#include "probes/expression.h"

#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 32, NAMES_MAX = 32 };

/* Numbers that make the difference for formulas with small ones. */
static const uint64_t tried[] = { 0, 1, 2, 3, 0x20, 0x31, 0x7fffffff, UINT64_MAX };

/* Returns a number that depends on the name and on the round only. */
static uint64_t number_of(const char *name, guint round)
{
	guint mixed = (g_str_hash(name) ^ round * 0x85ebca6bU) * 0x9e3779b1U;

	return tried[mixed >> 29];
}

/* What the kernel would know of a name: nothing if it begins with 'x', a text if with 'c', else a
   number. */
static bool find_field(const char *name, ExpressionField *field, void *data)
{
	guint kind = g_str_hash(name);

	(void)data;
	*field = (ExpressionField){
		.is_text = *name == 'c',
		.is_signed = kind & 1,
		.bytes = (uint8_t)(1U << (kind / 2 % 4)),
	};
	return *name != 'x';
}

/* Returns a value that the field can have. */
static ExpressionValue value_of(const char *given, guint round)
{
	const char *name = expression_field_name(given);
	guint shift = 0;
	ExpressionField field;
	uint64_t number = number_of(name, round);

	if (*name == 'c')
		return (ExpressionValue){ .text = name, .text_bytes = (uint32_t)strlen(name) };
	if (find_field(name, &field, NULL))
		shift = 64 - field.bytes * 8U;
	else
		field.is_signed = false;
	number <<= shift;
	return (ExpressionValue){
		.number = field.is_signed ? (int64_t)number >> shift : (int64_t)(number >> shift),
		.is_unsigned = !field.is_signed,
	};
}

static bool is_true(const Expression *expression, guint round)
{
	ExpressionValue values[NAMES_MAX];
	uint64_t divisions = 0;

	if (expression_names(expression) > NAMES_MAX)
		abort();
	for (guint slot = 0; slot < expression_names(expression); slot++)
		values[slot] = value_of(expression_name(expression, slot), round);
	return expression_is_true(expression, values, &divisions);
}

/* The kernel's filters are expressions, too: each must be true where the expression is. */
static void expect_weaker(const Expression *expression)
{
	g_autofree char *text = expression_kernel_filter(expression, find_field, NULL);
	g_autoptr(Expression) filter = text ? expression_parse(text, NULL) : NULL;

	for (guint round = 0; round < ROUNDS; round++)
		if (is_true(expression, round) && filter && !is_true(filter, round))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	g_autoptr(Expression) expression = expression_parse(text, &error);

	if (!expression != !!error)
		abort();
	if (error)
		fuzz_expect_visible(error->message);
	if (expression)
		expect_weaker(expression);
	return 0;
}

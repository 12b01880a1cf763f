/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/expression.h"

#include "leaks.h"
#include "temporary.h"

#include <criterion/criterion.h>
#include <inttypes.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(expression);

typedef struct {
	const char *name;
	ExpressionValue value;
} Variable;

#define TEXT(written)                                                                              \
	{                                                                                          \
		.text = (written), .text_bytes = sizeof(written)                                   \
	}

static const Variable variables[] = {
	{ "a", { .number = 7, .is_unsigned = true } },
	{ "b", { .number = -3 } },
	{ "u", { .number = -1, .is_unsigned = true } },
	{ "k", { .number = (int64_t)0xffffffff81000000, .is_unsigned = true } },
	{ "z", { .number = 0, .is_unsigned = true } },
	{ "m", { .number = INT64_MIN } },
	{ "order", { .number = 3 } },
	{ "comm", TEXT("python3\0rest of the field") },
	{ "cut", { .text = "python3", .text_bytes = 6 } },
	{ "empty", TEXT("") },
};

/* Returns the value of a name; unknown names are 0. */
static ExpressionValue value_of(const char *name)
{
	for (size_t i = 0; i < G_N_ELEMENTS(variables); i++)
		if (!strcmp(variables[i].name, name))
			return variables[i].value;
	return (ExpressionValue){ 0 };
}

static Expression *parse(const char *text)
{
	GError *error = NULL;
	Expression *expression = expression_parse(text, &error);

	cr_assert(expression, "%s: %s", text, error ? error->message : "");
	return expression;
}

static ExpressionValue evaluate(const char *text, uint64_t *divisions)
{
	g_autoptr(Expression) expression = parse(text);
	guint names = expression_names(expression);
	g_autofree ExpressionValue *values = g_new0(ExpressionValue, names + 1);

	for (guint slot = 0; slot < names; slot++)
		values[slot] = value_of(expression_name(expression, slot));
	return expression_evaluate(expression, values, divisions);
}

static char *result_text(const char *text)
{
	uint64_t divisions = 0;
	ExpressionValue value = evaluate(text, &divisions);

	return value.is_unsigned ? g_strdup_printf("%" PRIu64, (uint64_t)value.number)
				 : g_strdup_printf("%" PRId64, value.number);
}

/* The file was made with Python: another parser's tree, and integers without a size. */
Test(expression, results_are_those_of_exact_integers)
{
	g_autofree char *table = file_read(TEST_DATA "/probes/expressions.txt", NULL);
	g_auto(GStrv) lines = NULL;
	guint checked = 0;

	lines = g_strsplit(table, "\n", -1);
	for (char **line = lines; *line; line++) {
		g_auto(GStrv) parts = g_strsplit(*line, "\t", 2);
		g_autofree char *result = NULL;

		if (!**line || **line == '#')
			continue;
		result = result_text(parts[0]);
		cr_expect_str_eq(result, parts[1], "%s is %s, not %s", parts[0], parts[1], result);
		checked++;
	}
	cr_expect_eq(checked, 400);
}

typedef struct {
	const char *text;
	const char *result;
} Result;

static const Result results[] = {
	{ "pages(order)*4096", "32768" },
	{ "pages(63)", "9223372036854775808" },
	{ "pages(64)", "0" },
	{ "pages(-1)", "0" },
	{ "7 & 4 == 4", "1" }, /* not 7 & (4 == 4) */
	{ "1 | 2 == 3", "1" },
	{ "2 + 3 * 4 - 10 / 5 % 3", "12" },
	{ "-7 / 2", "-3" },
	{ "-7 % 2", "-1" },
	{ "7 % -2", "1" },
	{ "-8 >> 1", "-4" },
	{ "-8 >> 64", "-1" },
	{ "8 >> 64", "0" },
	{ "1 << 64", "0" },
	{ "1 << -1", "0" },
	{ "u > b", "1" },
	{ "u == -1", "0" },
	{ "k >= 0xffffffff80000000", "1" },
	{ "m < b && b < z && z < a && a < k && k < u", "1" },
	{ "a - u", "8" }, /* wraps */
	{ "u + 1", "0" },
	{ "m - 1", "9223372036854775807" },
	{ "m / -1", "9223372036854775808" },
	{ "m % -1", "0" },
	{ "-m", "9223372036854775808" },
	{ "u * u", "1" },
	{ "!5 == 0", "1" },
	{ "0x1F", "31" },
	{ "\t( ( a ) )  ", "7" },
};

Test(expression, results_are_those_of_the_manual)
{
	for (size_t i = 0; i < G_N_ELEMENTS(results); i++) {
		g_autofree char *result = result_text(results[i].text);

		cr_expect_str_eq(result, results[i].result, "%s is %s, not %s", results[i].text,
				 results[i].result, result);
	}
}

Test(expression, a_division_by_zero_gives_0_and_is_counted)
{
	uint64_t divisions = 0;

	cr_expect_eq(evaluate("5 / z + 5 % z", &divisions).number, 0);
	cr_expect_eq(divisions, 2);
	evaluate("z != 0 && a / z > 1 || z == 0 || a / z", &divisions);
	cr_expect_eq(divisions, 2, "the left side of && and || decides first");
}

static const Result texts[] = {
	{ "comm == \"python3\"", "1" }, { "comm == 'python'", "0" },
	{ "comm != \"python\"", "1" },  { "\"python3\" == comm", "1" },
	{ "cut == \"python\"", "1" },   { "comm ~ \"py*3\"", "1" },
	{ "comm ~ \"py\"", "0" },       { "comm ~ \"*th*\" && comm ~ \"p?thon[0-9]\"", "1" },
	{ "empty == \"\"", "1" },       { "empty ~ \"*\"", "1" },
	{ "empty ~ \"?\"", "0" },       { "unknown == \"\"", "1" },
	{ "unknown ~ \"**\"", "1" },
};

Test(expression, texts_are_compared_up_to_their_end)
{
	for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_autofree char *result = result_text(texts[i].text);

		cr_expect_str_eq(result, texts[i].result, "%s", texts[i].text);
	}
}

typedef struct {
	const char *pattern;
	const char *text;
	bool matches;
} GlobCase;

static const GlobCase globs[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "*", "", true },
	{ "a*b*c", "a-b-b-c", true },
	{ "a*b*c", "a-b-b-", false },
	{ "*.so", "libc.so", true },
	{ "[!a-c]x", "dx", true },
	{ "[!a-c]x", "bx", false },
	{ "[]]", "]", true },
	{ "[a-]", "-", true },
	{ "[a", "[a", true },
	{ "[!a", "[!a", true },
	{ "[", "[", true },
	{ "[]", "[]", true },
	{ "a[x]b*", "axb", true },
	{ "[\x80-\xff]", "\xc3", true },
};

Test(expression, globs_are_those_of_file_names)
{
	for (size_t i = 0; i < G_N_ELEMENTS(globs); i++)
		cr_expect_eq(expression_glob_match(globs[i].pattern, strlen(globs[i].pattern),
						   globs[i].text, strlen(globs[i].text)),
			     globs[i].matches, "%s %s", globs[i].pattern, globs[i].text);
}

Test(expression, a_name_alone_may_be_a_text)
{
	uint64_t divisions = 0;
	ExpressionValue value = evaluate("comm", &divisions);

	cr_assert_not_null(value.text);
	cr_expect_str_eq(value.text, "python3");
}

Test(expression, each_name_has_one_slot_and_its_uses)
{
	g_autoptr(Expression) expression =
		parse("prio > 1 && (comm == \"a\" || prio & 4) && pages(order) && both && "
		      "both == 'x'");
	g_autoptr(Expression) alone = parse("(comm)");

	cr_assert_eq(expression_names(expression), 4);
	cr_expect_str_eq(expression_name(expression, 0), "prio");
	cr_expect_str_eq(expression_name(expression, 1), "comm");
	cr_expect_str_eq(expression_name(expression, 2), "order");
	cr_expect_eq(expression_name_uses(expression, 0), EXPRESSION_USES_NUMBER);
	cr_expect_eq(expression_name_uses(expression, 1), EXPRESSION_USES_TEXT);
	cr_expect_eq(expression_name_uses(expression, 2), EXPRESSION_USES_NUMBER);
	cr_expect_eq(expression_name_uses(expression, 3),
		     EXPRESSION_USES_NUMBER | EXPRESSION_USES_TEXT);
	cr_expect_eq(expression_name_uses(alone, 0), EXPRESSION_USES_EITHER);
}

Test(expression, a_field_is_another_name_than_what_is_called_alike)
{
	g_autoptr(Expression) expression = parse("$comm == \"a\" && comm == \"b\"");

	cr_assert_eq(expression_names(expression), 2);
	cr_expect_str_eq(expression_name(expression, 0), "$comm");
	cr_expect_str_eq(expression_name(expression, 1), "comm");
}

static const Result wrong[] = {
	{ "", "column 1: expected a number or a name, found the end" },
	{ "a + * )", "column 5: expected a number or a name, found '*'" },
	{ "pages(", "column 7: expected a number or a name, found the end" },
	{ "(a", "column 3: expected an operator or ')', found the end" },
	{ "a b", "column 3: expected an operator, found 'b'" },
	{ "a )", "column 3: expected an operator, found ')'" },
	{ "a = 3", "column 3: '=' is no operator: use ==" },
	{ "a $3", "column 3: '$' is not part of an expression: remove it" },
	{ "a $ 3", "column 3: '$' is not part of an expression: remove it" },
	{ "a \303\251", "column 3: '\\xc3' is not part of an expression: remove it" },
	{ "12ab", "column 1: '12ab' is no number below 2^64: write digits, or 0x and hexadecimal "
		  "digits" },
	{ "18446744073709551616", "column 1: '18446744073709551616' is no number below 2^64: write "
				  "digits, or 0x and hexadecimal digits" },
	{ "0x", "column 1: '0x' is no number below 2^64: write digits, or 0x and hexadecimal "
		"digits" },
	{ "size(a)", "column 1: the only function is pages(ORDER)" },
	{ "1 < a < 3", "column 7: a comparison of a comparison: use && or parentheses" },
	{ "comm == \"a", "column 9: a text without its end: add \"" },
	{ "comm == 'a\n'", "column 11: a control character in a text: remove it" },
	{ "comm < 'a'", "column 6: a text is only compared with a name: NAME == \"text\", NAME != "
			"\"text\" or NAME ~ \"glob\"" },
	{ "'a' ~ comm", "column 5: a text is only compared with a name: NAME == \"text\", NAME != "
			"\"text\" or NAME ~ \"glob\"" },
	{ "'a' == 'b'", "column 5: a text is only compared with a name: NAME == \"text\", NAME != "
			"\"text\" or NAME ~ \"glob\"" },
	{ "-'a'", "column 1: a text is only compared with a name: NAME == \"text\", NAME != "
		  "\"text\" or NAME ~ \"glob\"" },
	{ "a ~ b", "column 3: a text is only compared with a name: NAME == \"text\", NAME != "
		   "\"text\" or NAME ~ \"glob\"" },
	{ "'a'", "column 1: a text is only compared with a name: NAME == \"text\", NAME != "
		 "\"text\" or NAME ~ \"glob\"" },
};

Test(expression, an_error_names_the_column)
{
	for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GError) error = NULL;

		cr_expect_null(expression_parse(wrong[i].text, &error), "%s", wrong[i].text);
		cr_assert_not_null(error, "%s", wrong[i].text);
		cr_expect_str_eq(error->message, wrong[i].result);
	}
}

/* Returns the error's text of COUNT times the part, then the end. */
static char *error_of_many(const char *part, guint count, const char *end)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < count; i++)
		g_string_append(text, part);
	g_string_append(text, end);
	cr_assert_null(expression_parse(text->str, &error));
	return g_strdup(error->message);
}

Test(expression, size_and_depth_are_limited)
{
	g_autofree char *parentheses = error_of_many("(", 65, "1");
	g_autofree char *unary = error_of_many("!", 65, "1");
	g_autofree char *nodes = error_of_many("1+", 130, "1");
	g_autofree char *bytes = error_of_many(" ", 4096, "1");
	g_autoptr(GString) names = g_string_new("n");
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < 33; i++)
		g_string_append_printf(names, "+n%u", i);
	cr_expect_null(expression_parse(names->str, &error));
	cr_expect(strstr(parentheses, "column 65: more than 64 operators or parentheses within"));
	cr_expect(strstr(unary, "column 65: more than 64 operators or parentheses within"));
	cr_expect(strstr(nodes, "more than 256 numbers, names and operators"));
	cr_expect_str_eq(bytes, "column 4097: an expression ends here at the latest: shorten it");
	cr_expect(strstr(error->message, "more than 32 names: use fewer"), "%s", error->message);
}

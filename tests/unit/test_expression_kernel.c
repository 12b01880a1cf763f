/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "probes/expression.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(expression_kernel);

typedef struct {
	const char *name;
	ExpressionField field;
} Field;

static const Field fields[] = {
	{ "order", { .bytes = 4 } },
	{ "nid", { .bytes = 4, .is_signed = true } },
	{ "flags", { .bytes = 8 } },
	{ "small", { .bytes = 1 } },
	{ "delta", { .bytes = 8, .is_signed = true } },
	{ "comm", { .is_text = true } },
};

static bool find_field(const char *name, ExpressionField *field, void *data)
{
	(void)data;
	for (size_t i = 0; i < G_N_ELEMENTS(fields); i++)
		if (!strcmp(fields[i].name, name)) {
			*field = fields[i].field;
			return true;
		}
	return false;
}

static char *filter_of(const char *text)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Expression) expression = expression_parse(text, &error);

	cr_assert(expression, "%s: %s", text, error ? error->message : "");
	return expression_kernel_filter(expression, find_field, NULL);
}

typedef struct {
	const char *expression;
	const char *filter;
} FilterCase;

static const FilterCase filters[] = {
	{ "order >= 3", "order >= 3" },
	{ "3 <= order", "order >= 3" },
	{ "!(order < 3)", "order >= 3" },
	{ "order", "order != 0" },
	{ "!order", "order == 0" },
	{ "order > 1 << 2", "order > 4" },
	{ "nid == -1", "nid == -1" },
	{ "flags >= 0xffffffff80000000", "flags >= 18446744071562067968" },
	{ "flags & 0x20", "flags & 32" },
	{ "0x20 & flags", "flags & 32" },
	{ "flags & 0x20 != 0", "flags & 32" },
	{ "flags & 0x20 == 0", "!(flags & 32)" },
	{ "!(flags & 0x20)", "!(flags & 32)" },
	{ "!(flags & 0x20 == 0)", "flags & 32" },
	{ "flags & 0x30 == 0x30", "flags & 48" }, /* weaker */
	{ "flags & 0x30 != 0x30", NULL },
	{ "!(flags & 0x30 == 0x30)", NULL },
	{ "flags & 0x30 > 0x10", NULL },
	{ "comm == \"bash\"", "comm == \"bash\"" },
	{ "!(comm == \"bash\")", "comm != \"bash\"" },
	{ "comm ~ \"py*\"", "comm ~ \"py*\"" },
	{ "!(comm ~ \"py*\")", "!(comm ~ \"py*\")" },
	{ "comm != 'a\"b'", "comm != 'a\"b'" },
	/* What the kernel would read differently. */
	{ "comm ~ \"!py*\"", NULL },
	{ "comm ~ \"3*\"", NULL },
	{ "comm ~ \"p[yz]*\"", NULL },
	{ "comm ~ \"p\\\\*\"", NULL },
	{ "comm == \"\"", NULL },
	{ "comm", NULL },
	{ "$comm == \"a\" && $order > 1", "(comm == \"a\") && (order > 1)" },
	{ "order == \"a\"", NULL },
	/* What does not fit the field. */
	{ "order < 0x100000000", NULL },
	{ "order > -1", NULL },
	{ "small == 256", NULL },
	{ "small == 255", "small == 255" },
	{ "nid < 0x80000000", NULL },
	{ "nid >= -0x80000000", "nid >= -2147483648" },
	{ "nid >= -0x80000001", NULL },
	{ "delta > -0x8000000000000000", "delta > -9223372036854775808" },
	{ "delta < 0x8000000000000000", NULL },
	/* Parts that the kernel cannot test. */
	{ "latency > 1000", NULL },
	{ "latency > 1000 && order > 2 && pages(order) < 64", "order > 2" },
	{ "order > 2 && (nid == 1 || nid == 2)", "(order > 2) && ((nid == 1) || (nid == 2))" },
	{ "order > 2 || latency > 5", NULL },
	{ "order > 2 || (latency > 5 && nid == 1)", "(order > 2) || (nid == 1)" },
	{ "!(order > 2 && latency > 5)", NULL },
	{ "!(order > 2 || latency > 5)", "order <= 2" },
	{ "order == nid", NULL },
	{ "order + 1 == 3", NULL },
	{ "1", NULL },
};

Test(expression_kernel, a_filter_has_what_the_kernel_can_test)
{
	for (size_t i = 0; i < G_N_ELEMENTS(filters); i++) {
		g_autofree char *filter = filter_of(filters[i].expression);

		cr_expect_eq(g_strcmp0(filter, filters[i].filter), 0, "%s: %s",
			     filters[i].expression, filter);
	}
}

Test(expression_kernel, a_long_text_is_left_to_the_program)
{
	g_autofree char *text = g_strnfill(256, 'a');
	g_autofree char *expression = g_strdup_printf("comm == \"%s\"", text);
	g_autofree char *filter = filter_of(expression);

	cr_expect_null(filter);
}

Test(expression_kernel, a_filter_has_less_than_a_page)
{
	g_autoptr(GString) text = g_string_new("order > 1");
	g_autofree char *filter = NULL;

	for (guint i = 0; i < 63; i++)
		g_string_append_printf(text, "||comm=='%050u'", i);
	filter = filter_of(text->str);
	cr_expect_null(filter);
}

enum { VALUES = 5 };
static const int64_t tried[VALUES] = { 0, 1, 3, 0x20, 0x31 };

/* Whether it is true; the kernel's filters are expressions, too. */
static bool is_true(const char *text, int64_t order, int64_t flags, int64_t latency)
{
	g_autoptr(Expression) expression = expression_parse(text, NULL);
	ExpressionValue values[3] = { { 0 } };
	uint64_t divisions = 0;

	cr_assert_not_null(expression, "%s", text);
	for (guint slot = 0; slot < expression_names(expression); slot++) {
		const char *name = expression_name(expression, slot);

		values[slot].number = *name == 'o' ? order : *name == 'f' ? flags : latency;
	}
	return expression_is_true(expression, values, &divisions);
}

static const char *const weakened[] = {
	"order > 2 && latency > 2",
	"!(order > 2 || latency > 2) || flags & 0x30 == 0x30",
	"!(order >= 3 && !(flags & 1)) && !(latency < 3)",
	"!(!(flags & 0x20 == 0) || order != 3)",
	"(flags == 1 || order == 1) && (latency || flags & 0x11 == 0x11)",
	"!!(3 > order) && !(latency && !order)",
};

Test(expression_kernel, a_filter_passes_all_for_which_the_expression_is_true)
{
	for (size_t i = 0; i < G_N_ELEMENTS(weakened); i++) {
		g_autofree char *filter = filter_of(weakened[i]);

		cr_assert_not_null(filter, "%s", weakened[i]);
		for (guint at = 0; at < VALUES * VALUES * VALUES; at++) {
			int64_t order = tried[at % VALUES], flags = tried[at / VALUES % VALUES];
			int64_t latency = tried[at / VALUES / VALUES];

			if (is_true(weakened[i], order, flags, latency))
				cr_expect(is_true(filter, order, flags, latency), "%s: %s",
					  weakened[i], filter);
		}
	}
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "filter.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(filters);

static const char *const stack_lines[] = { " 0x01 : __kmalloc+0x10/0x9f [kernel]",
					   " 0x02 : tcp_sendmsg+0x184/0x2ba [nf_nat]", " 0x03" };

static const StackSummary stack_sums = {
	.allocations = 10,
	.bytes_requested = 1000,
	.bytes_allocated = 2048,
};

static bool keeps(const Filter *filter)
{
	bool any = false;

	if (filter->type->keeps)
		return filter->type->keeps(filter, &stack_sums);
	for (size_t i = 0; i < G_N_ELEMENTS(stack_lines); i++)
		any |= filter->type->matches(filter, stack_lines[i]);
	return any != filter->type->drops_matches;
}

typedef struct {
	const char *option;
	const char *argument;
	bool keeps;
} KeepCase;

/* 10 allocations, 1000 bytes requested, 2048 allocated. */
static const KeepCase keep_cases[] = {
	{ "min-count", "0", true },
	{ "min-count", "10", true },
	{ "min-count", "11", false },
	{ "min-count", "18446744073709551615", false },
	{ "min-bytes", "2048", true },
	{ "min-bytes", "2049", false },
	{ "min-bytes", "2K", true },
	{ "min-bytes", "2k", true },
	{ "min-bytes", "3K", false },
	{ "min-bytes", "1M", false },
	{ "min-bytes", "1G", false },
	{ "exclude", "tcp_", false },
	{ "exclude", "udp_", true },
	{ "exclude", "udp_,tcp_", false },
	{ "exclude", ",udp_", true },
	{ "exclude", "udp_,", true },
	{ "exclude", ",", true },
	{ "exclude", "", true },
	{ "exclude", "tcp_sendmsg+0x184", false },
	{ "exclude", "[nf_nat]", false },
	{ "exclude", "[ext3]", true },
	{ "exclude", "tcp.sendmsg", true },
	{ "exclude", "TCP_", true },
	{ "include", "tcp_", true },
	{ "include", "udp_", false },
	{ "include", "udp_,[kernel]", true },
	{ "include", ",", true },
	{ "exclude-regex", "tcp_.*\\[nf_nat\\]$", false },
	{ "exclude-regex", "^ 0x03$", false },
	{ "exclude-regex", "^tcp_", true },
	{ "exclude-regex", "kernel\\]\\s+0x02", true },
	{ "exclude-regex", "[^k]0x03", false },
	{ "include-regex", "tcp_(send|recv)msg", true },
	{ "include-regex", "tcp_poll", false },
};

Test(filters, keep_what_they_say)
{
	for (size_t i = 0; i < G_N_ELEMENTS(keep_cases); i++) {
		const KeepCase *row = &keep_cases[i];
		const FilterType *type = filter_type_lookup(row->option);
		g_autoptr(GError) error = NULL;
		g_autoptr(Filter) filter = filter_new(type, row->argument, &error);

		cr_assert_null(error, "%s %s: %s", row->option, row->argument,
			       error ? error->message : "");
		cr_expect_eq(keeps(filter), row->keeps, "%s '%s'", row->option, row->argument);
	}
}

typedef struct {
	const char *option;
	const char *argument;
	const char *message; /* its beginning */
} ErrorCase;

static const ErrorCase error_cases[] = {
	{ "min-count", "abc", "'abc' is not a whole number" },
	{ "min-count", "-1", "'-1' is not a whole number" },
	{ "min-count", "+1", "'+1' is not a whole number" },
	{ "min-count", "", "'' is not a whole number" },
	{ "min-count", "0x10", "'0x10' is not a whole number" },
	{ "min-count", "3.5", "'3.5' is not a whole number" },
	{ "min-count", " 3", "' 3' is not a whole number" },
	{ "min-count", "3 ", "'3 ' is not a whole number" },
	{ "min-count", "10K", "'10K' is not a whole number" },
	{ "min-count", "18446744073709551616", "'18446744073709551616' is not a whole number" },
	{ "min-bytes", "K", "'K' is not a size: use a whole number" },
	{ "min-bytes", "1KB", "'1KB' is not a size" },
	{ "min-bytes", "1T", "'1T' is not a size" },
	{ "min-bytes", "-5", "'-5' is not a size" },
	{ "min-bytes", "17179869184G", "'17179869184G' is not a size" },
	{ "exclude-regex", "(", "'(' is not a valid regular expression: " },
	{ "include-regex", "[a", "'[a' is not a valid regular expression: " },
};

Test(filters, wrong_values_are_errors)
{
	for (size_t i = 0; i < G_N_ELEMENTS(error_cases); i++) {
		const ErrorCase *row = &error_cases[i];
		g_autoptr(GError) error = NULL;
		Filter *filter = filter_new(filter_type_lookup(row->option), row->argument, &error);

		cr_assert_null(filter, "%s '%s'", row->option, row->argument);
		cr_assert_not_null(error);
		cr_expect(g_str_has_prefix(error->message, row->message), "'%s' for '%s'",
			  error->message, row->argument);
	}
}

Test(filters, a_regular_expression_error_has_its_reason)
{
	g_autoptr(GError) error = NULL;

	cr_assert_null(filter_new(filter_type_lookup("exclude-regex"), "(", &error));
	cr_expect(strlen(error->message) > strlen("'(' is not a valid regular expression: "), "%s",
		  error->message);
}

Test(filters, the_table_has_the_minimum_first_then_exclude_then_include)
{
	static const char *const options[] = { "min-count",     "min-bytes", "exclude",
					       "exclude-regex", "include",   "include-regex" };

	for (size_t i = 0; i < G_N_ELEMENTS(options); i++)
		cr_expect_str_eq(filter_types[i].option, options[i]);
	cr_expect_null(filter_types[G_N_ELEMENTS(options)].option);
}

Test(filters, an_unknown_option_has_no_type)
{
	cr_expect_null(filter_type_lookup("excl"));
}

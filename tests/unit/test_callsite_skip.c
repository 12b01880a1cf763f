/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "callsite_skip.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(callsite_skip);

static void expect_sorted(const char *const *names)
{
	for (; names[0] && names[1]; names++)
		cr_expect_lt(strcmp(names[0], names[1]), 0, "%s", names[1]);
}

/* Names with what is taken off before they are compared would never be found. */
static void expect_plain(const char *const *names)
{
	for (; *names; names++) {
		cr_expect_null(strchr(*names, '.'), "%s", *names);
		cr_expect(not(g_str_has_suffix(*names, "_noprof")), "%s", *names);
	}
}

Test(callsite_skip, the_lists_can_be_found)
{
	g_autoptr(CallsiteSkip) wrappers = callsite_skip_new("default", NULL);

	expect_sorted(callsite_skip_allocators);
	expect_plain(callsite_skip_allocators);
	expect_plain(callsite_skip_wrappers);
	for (const char *const *name = callsite_skip_allocators; *name; name++)
		cr_expect(callsite_skip_has(NULL, *name), "%s", *name);
	for (const char *const *name = callsite_skip_wrappers; *name; name++) {
		cr_expect(callsite_skip_has(wrappers, *name), "%s", *name);
		cr_expect(not(callsite_skip_has(NULL, *name)), "%s", *name);
	}
}

Test(callsite_skip, a_list_has_a_name)
{
	g_autoptr(GError) error = NULL;

	cr_expect_null(callsite_skip_new(",", &error));
	cr_expect_str_eq(error->message,
			 "',' names no function: give names with commas, or default");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/facts/host_facts.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <glib.h>

TEST_SUITE_WITHOUT_LEAKS(line_value);

static const char configuration[] = "# CONFIG_HASH=\"none\"\n"
				    "\n"
				    "CONFIG_HASH=unquoted\n"
				    "CONFIG_HASH=\"sha512\" # \"\n"
				    "CONFIG_HASH=\"sha1\"\n"
				    "CONFIG_LAST=";

Test(line_value, the_first_whole_line_counts)
{
	g_autofree char *hash = line_value(configuration, "CONFIG_HASH=\"", "\"");

	cr_assert_not_null(hash);
	cr_expect_str_eq(hash, "sha512");
}

Test(line_value, a_value_can_reach_to_the_end_of_the_line)
{
	g_autofree char *first = line_value(configuration, "CONFIG_HASH=", "");
	g_autofree char *last = line_value(configuration, "CONFIG_LAST=", "");

	cr_assert_not_null(first);
	cr_expect_str_eq(first, "unquoted");
	cr_assert_not_null(last);
	cr_expect_str_eq(last, "");
}

Test(line_value, what_is_not_there_is_null)
{
	static const char *const texts[] = { "", "\n", "NAME", "NAME=", "NAME=\nx;", "aNAME=x;" };

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		cr_expect_null(line_value(texts[i], "NAME=", ";"), "text %u", i);
}

Test(line_value, an_unreadable_file_has_none)
{
	cr_expect_null(line_value_of_file("/nonexistent/.config", "CONFIG_HASH=", ""));
}

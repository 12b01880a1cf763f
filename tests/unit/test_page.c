/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "render/picture/page_strings.h"
#include "render/picture/page_texts.h"
#include "report/facts.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(page);

/* Returns what is written of a part of JSON; free it with free(). */
static char *written(const char *json)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);

	page_write_json(out, json, strlen(json));
	fclose(out);
	return text;
}

Test(page, json_in_a_script_element_has_no_markup)
{
	static const struct {
		const char *json, *expected;
	} cases[] = {
		{ "{\"a\":1}", "{\"a\":1}" },
		{ "\"</script><img src=x onerror=alert(1)>\"",
		  "\"\\u003c/script\\u003e\\u003cimg src=x onerror=alert(1)\\u003e\"" },
		{ "\"<!-- ]]> -->\"", "\"\\u003c!-- ]]\\u003e --\\u003e\"" },
		{ "\"&lt;\"", "\"\\u0026lt;\"" },
		{ "\"\xe2\x80\xa8\xe2\x80\xa9\"", "\"\\u2028\\u2029\"" },
		{ "\"\xe2\x82\xac\"", "\"\xe2\x82\xac\"" },
		{ "<", "\\u003c" },
		{ "\xe2", "\xe2" },
		{ "", "" },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		char *text = written(cases[i].json);

		cr_expect_str_eq(text, cases[i].expected);
		free(text);
	}
}

Test(page, texts_of_elements_have_no_markup)
{
	g_autoptr(GString) out = g_string_new(NULL);

	page_append_text(out, "</pre><b title=\"x\">&");
	cr_expect_str_eq(out->str, "&lt;/pre&gt;&lt;b title=&quot;x&quot;&gt;&amp;");
}

Test(page, the_script_does_not_end_its_own_element)
{
	cr_expect_not(strstr(page_js, "</script"));
	cr_expect_not(strstr(page_css, "</style"));
	cr_expect(strstr(page_js, "\nstart();\n"));
}

/* Facts of a run that lost at most so many of the events. */
static Facts *facts_of(uint64_t counted, uint64_t lost)
{
	Facts *facts = g_new0(Facts, 1);

	fact_set_number(facts, FACT_EVENTS_COUNTED, counted);
	facts->values[FACT_LOST] = (Value){ .known = true, .number = lost, .other = lost };
	facts->values[FACT_LOST_UNCOUNTED] = facts->values[FACT_LOST];
	return facts;
}

Test(page, a_loss_is_small_up_to_the_share_that_is_allowed)
{
	static const struct {
		uint64_t counted, lost;
		bool is_small;
	} cases[] = {
		{ 190000, 20, true },   { 190000, 0, true }, { 999, 1, true },
		{ 190000, 200, false }, { 0, 1, false },     { 0, 0, true },
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Facts) facts = facts_of(cases[i].counted, cases[i].lost);

		cr_expect(facts_loss_is_small(facts, 0.1) == cases[i].is_small, "%zu", i);
	}
}

Test(page, a_loss_of_an_unknown_number_is_not_small)
{
	static const FactId uncountable[] = { FACT_UNTRACED,        FACT_LOST_AT_LEAST,
					      FACT_END_IS_UNKNOWN,  FACT_LOST_BYTES,
					      FACT_LOST_USER_LINES, FACT_LOSS_IS_UNKNOWN };

	for (gsize i = 0; i < G_N_ELEMENTS(uncountable); i++) {
		g_autoptr(Facts) facts = facts_of(190000, 20);

		fact_set_number(facts, uncountable[i], 1);
		cr_expect_not(facts_loss_is_small(facts, 0.1), "%zu", i);
	}
}

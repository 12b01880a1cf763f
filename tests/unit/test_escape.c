/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/escape.h"

#include "leaks.h"

#include <criterion/criterion.h>

TEST_SUITE_WITHOUT_LEAKS(escape);

typedef struct {
	const char *text;
	const char *escaped;
} EscapeCase;

static const EscapeCase cases[] = {
	{ "", "" },
	{ "httpd worker", "httpd worker" },
	{ "a\033[31mb", "a\\x1b[31mb" },
	{ "a\nb\tc\r", "a\\x0ab\\x09c\\x0d" },
	{ "\177", "\\x7f" },
	{ "caf\303\251", "caf\303\251" },
	{ "caf\351", "caf\\xe9" },
	{ "cut \303", "cut \\xc3" },
	{ "\302\233"
	  "31m",
	  "\\xc2\\x9b31m" },                     /* a control character in two bytes */
	{ "\342\200\256x", "\\xe2\\x80\\xaex" }, /* right-to-left override */
	{ "\300\257", "\\xc0\\xaf" },            /* overlong */
	{ "\355\240\200", "\\xed\\xa0\\x80" },   /* surrogate */
};

Test(escape, only_printable_characters_remain)
{
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) out = g_string_new("> ");

		escape_append(out, cases[i].text);
		cr_expect_str_eq(out->str + 2, cases[i].escaped);
	}
}

Test(escape, a_length_ends_the_text)
{
	g_autoptr(GString) out = g_string_new(NULL);

	escape_append_len(out, "a\0b\303\251", 4);
	cr_expect_str_eq(out->str, "a\\x00b\\xc3");
}

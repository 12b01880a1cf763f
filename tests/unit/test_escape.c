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
	/* A backslash that is no escape, but could be taken for one. */
	{ "a\\x1b[31mb", "a\\\\x1b[31mb" },
	{ "a\\\033", "a\\\\\\x1b" },
	{ "a\\\\b", "a\\\\\\b" },
	{ "a\\", "a\\\\" },
	{ "App\\Model::find", "App\\Model::find" },
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

/* Reads an escape back, as somebody who reads a report does. */
static char *read_back(const char *escaped)
{
	GString *out = g_string_new(NULL);

	for (const char *at = escaped; *at; at++) {
		if (at[0] == '\\' && at[1] == 'x') {
			g_string_append_c(out, (char)(g_ascii_xdigit_value(at[2]) << 4 |
						      g_ascii_xdigit_value(at[3])));
			at += 3;
		} else {
			g_string_append_c(out, *at);
			at += at[0] == '\\' && at[1] == '\\';
		}
	}
	return g_string_free(out, FALSE);
}

/* All texts of four of these bytes. */
Test(escape, different_texts_look_different)
{
	static const char bytes[] = { '\\', 'x', '1', 'b', '\033', 'A', '\xff' };
	const size_t n = sizeof(bytes);

	for (size_t i = 0; i < n * n * n * n; i++) {
		const char text[] = { bytes[i % n], bytes[i / n % n], bytes[i / n / n % n],
				      bytes[i / n / n / n], '\0' };
		g_autofree char *escaped = escape_copy(text);
		g_autofree char *back = read_back(escaped);

		cr_assert_str_eq(back, text, "%s", escaped);
		cr_assert_eq(escape_is_printable(text), g_str_equal(escaped, text));
	}
}

Test(escape, only_what_is_hidden_where_a_format_has_its_own_escapes)
{
	g_autoptr(GString) out = g_string_new(NULL);

	escape_hidden_append_len(out, "a\\x1b\033", 6);
	cr_expect_str_eq(out->str, "a\\x1b\\x1b");
}

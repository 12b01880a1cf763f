/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "collect/stap/stap_options.h"

#include "leaks.h"

#include <criterion/criterion.h>
#include <string.h>

TEST_SUITE_WITHOUT_LEAKS(stap_options);

typedef struct {
	const char *text;
	const char *compile; /* words, joined by '|' */
	unsigned buffer_megabytes;
} AcceptedCase;

static const AcceptedCase accepted[] = {
	{ "", "", 0 },
	{ NULL, "", 0 },
	{ "--all-modules -s 128", "--all-modules", 128 },
	{ "-s128", "", 128 },
	{ "-s 16 -s 32", "", 32 },
	{ "-DSTP_MAXMEMORY=1 -D 'A=b c'", "-DSTP_MAXMEMORY=1|-DA=b c", 0 },
	{ "-gw -B KCFLAGS=-w", "-g|-w|-BKCFLAGS=-w", 0 },
	{ "-d kernel --ldd", "-d|kernel|--ldd", 0 },
	{ "-I /usr/share/x -R /opt/runtime", "-I|/usr/share/x|-R|/opt/runtime", 0 },
	{ "--compatible 4.0 --modinfo=a=b", "--compatible=4.0|--modinfo=a=b", 0 },
	{ "--poison-cache --disable-cache -k", "--poison-cache|--disable-cache|-k", 0 },
	{ "--no-such-option -Z", "--no-such-option|-Z", 0 },
};

typedef struct {
	const char *text;
	const char *said; /* part of the message */
} RefusedCase;

static const RefusedCase refused[] = {
	{ "report.txt", "to write the report to a file use -O FILE" },
	{ "-", "use -O FILE" },
	{ "-g report.txt", "'report.txt' is not a SystemTap option" },
	{ "-g --", "'--' is not a SystemTap option" },
	{ "-b", "--buffer" },
	{ "-c ls", "own -c" },
	{ "-x 12", "own -p" },
	{ "-o f", "-O FILE" },
	{ "-of", "-O FILE" },
	{ "-p4", "--build-module" },
	{ "-F", "--record" },
	{ "-t", "tracing cost" },
	{ "-v", "own -v" },
	{ "-gvvv", "own -v" },
	{ "--vp 001", "own -v" },
	{ "-e 'probe begin {}'", "--events" },
	{ "-E 'probe begin {}'", "--events" },
	{ "--remote host", "-i FILE" },
	{ "--remote=host", "-i FILE" },
	{ "--rem=host", "-i FILE" },
	{ "-m name", "--build-module" },
	{ "-r 6.1", "--build-module=KVER" },
	{ "-T 5", "own -d" },
	{ "-S 5", "--record-max" },
	{ "-G kmt_depth=3", "own options" },
	{ "--bpf", "kernel" },
	{ "-s", "needs a value" },
	{ "-s 0", "megabytes" },
	{ "-s 4096", "megabytes" },
	{ "-s 1x", "megabytes" },
	{ "--compatible", "needs a value" },
	{ "-D", "needs a value" },
	{ "-D 'open", "quote" },
};

static char *joined(const GPtrArray *words)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < words->len; i++)
		g_string_append_printf(text, "%s%s", i ? "|" : "",
				       (const char *)g_ptr_array_index(words, i));
	return g_string_free(text, FALSE);
}

Test(stap_options, options_go_where_they_matter)
{
	for (guint i = 0; i < G_N_ELEMENTS(accepted); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(StapOptions) options = stap_options_parse(accepted[i].text, &error);
		g_autofree char *compile = NULL;

		cr_assert_not_null(options, "%s: %s", accepted[i].text,
				   error ? error->message : "");
		compile = joined(options->compile);
		cr_expect_str_eq(compile, accepted[i].compile, "%s: %s", accepted[i].text, compile);
		cr_expect_eq(options->buffer_megabytes, accepted[i].buffer_megabytes, "%s",
			     accepted[i].text);
	}
}

Test(stap_options, options_that_break_the_stream_name_our_own)
{
	for (guint i = 0; i < G_N_ELEMENTS(refused); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(StapOptions) options = stap_options_parse(refused[i].text, &error);

		cr_expect_null(options, "%s", refused[i].text);
		cr_assert_not_null(error, "%s", refused[i].text);
		cr_expect(strstr(error->message, refused[i].said) != NULL, "%s: %s",
			  refused[i].text, error->message);
		cr_expect_null(strchr(error->message, '\n'));
	}
}

Test(stap_options, the_buffer_size_is_reported)
{
	g_autoptr(StapOptions) options = stap_options_parse("-s 64", NULL);

	cr_assert_not_null(options);
	cr_expect_eq(options->buffer_megabytes, 64);
	cr_expect_not(options->reads_files);
}

Test(stap_options, a_relative_path_is_made_absolute)
{
	g_autoptr(StapOptions) options = stap_options_parse("-I ./tapset", NULL);
	g_autofree char *folder = g_get_current_dir();
	g_autofree char *path = g_build_filename(folder, "./tapset", NULL);

	cr_assert_not_null(options);
	cr_expect_str_eq(g_ptr_array_index(options->compile, 1), path);
	cr_expect(options->reads_files);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "options/options.h"

#include "leaks.h"
#include "options/option_values.h"
#include "tools/tool.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

TEST_SUITE_WITHOUT_LEAKS(options);

/* As slabratetop does. */
static bool take_number(Options *options, const char *word, GError **error)
{
	if (options->rate.interval_given)
		return option_rate_count(options, word, error);
	options->rate.interval_given = true;
	return option_rate_interval(options, word, error);
}

static const Tool rates = {
	.name = "rates",
	.bit = TOOL_SLABRATETOP,
	.events = PROBE_KMALLOC,
	.take_word = take_number,
};

/* Returns for how long a run of this command line collects; 0: until stopped. It is only checked,
   as a stream to a terminal is refused. */
static double duration_of(const char *record, const char *interval, const char *count)
{
	const char *words[] = { "rates", "--check", record, interval, count, NULL };
	g_auto(GStrv) arguments = g_strdupv((char **)words);
	g_autoptr(GError) error = NULL;
	g_autoptr(Options) options =
		options_parse(&rates, (int)g_strv_length(arguments), arguments, &error);

	cr_assert_not_null(options, "%s", error ? error->message : "");
	return options->request.duration_seconds;
}

Test(options, a_stream_ends_after_so_many_intervals)
{
	cr_expect(eq(dbl, duration_of("--record=-", "0.5", "3"), 1.5));
	cr_expect(eq(dbl, duration_of("--record=-", "86400", "18446744073709551615"),
		     DURATION_SECONDS_MAX));
	cr_expect(eq(dbl, duration_of("--record=-", "0.5", NULL), 0));
}

Test(options, tables_are_counted_themselves)
{
	cr_expect(eq(dbl, duration_of("--record=x.kmr", "0.5", "3"), 0));
}

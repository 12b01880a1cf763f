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
	return options->live.request.bounds.duration_seconds;
}

Test(options, a_stream_ends_after_so_many_intervals)
{
	cr_expect(eq(dbl, duration_of("--record=-", "0.5", "3"), 1.5));
	cr_expect(eq(dbl, duration_of("--record=-", "86400", "18446744073709551615"),
		     DURATION_SECONDS_MAX));
	cr_expect(eq(dbl, duration_of("--record=-", "0.5", NULL), 0));
}

static const Tool reports = {
	.name = "reports",
	.bit = TOOL_KMALLOC_TOP,
	.events = PROBE_KMALLOC,
};

/* Returns the interval of --every, or 0 if the command line is refused. */
static uint64_t every_ns(const char *every, const char *other)
{
	const char *words[] = { "reports", "--check", every, other, NULL };
	g_auto(GStrv) arguments = g_strdupv((char **)words);
	g_autoptr(Options) options =
		options_parse(&reports, (int)g_strv_length(arguments), arguments, NULL);

	return options ? options->live.request.reports.every_ns : 0;
}

/* Returns the limits of --buffer and --max-memory in MB, 0 if the command line is refused. */
static uint64_t megabytes_of(const char *size)
{
	g_autofree char *buffer = g_strconcat("--buffer=", size, NULL);
	g_autofree char *memory = g_strconcat("--max-memory=", size, NULL);
	const char *words[] = { "reports", "--check", buffer, memory, NULL };
	g_auto(GStrv) arguments = g_strdupv((char **)words);
	g_autoptr(Options) options =
		options_parse(&reports, (int)g_strv_length(arguments), arguments, NULL);

	if (!options)
		return 0;
	cr_expect(eq(u64, options->live.request.bounds.buffer_megabytes,
		     options->memory_bytes_max >> 20));
	return options->memory_bytes_max >> 20;
}

Test(options, sizes_are_megabytes_or_have_a_unit)
{
	cr_expect(eq(u64, megabytes_of("64"), 64));
	cr_expect(eq(u64, megabytes_of("64M"), 64));
	cr_expect(eq(u64, megabytes_of("64k"), 0));
	cr_expect(eq(u64, megabytes_of("65537K"), 65));
	cr_expect(eq(u64, megabytes_of("2G"), 2048));
	cr_expect(eq(u64, megabytes_of("1024G"), 1 << 20));
	cr_expect(eq(u64, megabytes_of("1025G"), 0));
	cr_expect(eq(u64, megabytes_of("64T"), 0));
	cr_expect(eq(u64, megabytes_of("1.5G"), 0));
	cr_expect(eq(u64, megabytes_of("18446744073709551615"), 0));
	cr_expect(eq(u64, megabytes_of("M"), 0));
}

Test(options, reports_have_an_interval)
{
	cr_expect(eq(u64, every_ns("--every=600", NULL), 600000000000));
	cr_expect(eq(u64, every_ns("--every=.1", NULL), 100000000));
	cr_expect(eq(u64, every_ns("--every=86400", "-d1"), 86400000000000));
	cr_expect(eq(u64, every_ns("--every=90s", NULL), 90000000000));
	cr_expect(eq(u64, every_ns("--every=1.5m", NULL), 90000000000));
	cr_expect(eq(u64, every_ns("--every=2h", NULL), 7200000000000));
	for (const char *const *bad =
		     (const char *[]){ "0", "s", "1d", "1ms", "25h", "0.09", "86401", "-1", "1e3",
				       "", "x", "inf", NULL };
	     *bad; bad++) {
		g_autofree char *every = g_strconcat("--every=", *bad, NULL);

		cr_expect(eq(u64, every_ns(every, NULL), 0), "%s", *bad);
	}
	cr_expect(eq(u64, every_ns("--every=1", "--record=-"), 0));
	cr_expect(eq(u64, every_ns("--every=1", "--record=x.kmr"), 1000000000));
}

/* Returns the events that are observed. */
static unsigned events_of(const char *held, const char *events)
{
	const char *words[] = { "reports", "--check", held, events, NULL };
	g_auto(GStrv) arguments = g_strdupv((char **)words);
	g_autoptr(Options) options =
		options_parse(&reports, (int)g_strv_length(arguments), arguments, NULL);

	return options ? options->live.request.what.events : 0;
}

Test(options, what_is_held_needs_objects_of_slab_caches)
{
	const unsigned both = PROBE_KMALLOC | PROBE_CACHE;

	cr_expect(eq(u32, events_of("--quiet", NULL), PROBE_KMALLOC));
	cr_expect(eq(u32, events_of("--held", NULL), both));
	cr_expect(eq(u32, events_of("--held", "--events=+page"), both | PROBE_PAGE));
	cr_expect(eq(u32, events_of("--held", "--events=kmalloc"), PROBE_KMALLOC));
	cr_expect(eq(u32, events_of("--held", "--events=page"), PROBE_PAGE));
}

Test(options, tables_are_counted_themselves)
{
	cr_expect(eq(dbl, duration_of("--record=x.kmr", "0.5", "3"), 0));
}

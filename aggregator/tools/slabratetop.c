/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command slabratetop: its words, rules and description, and main(). A run of intervals is in
 * rate_run.c, the frame of all commands in tool.c.
 */
#include "collect/run/collect_live.h"
#include "options/option_table.h"
#include "options/option_values.h"
#include "tools/rate_run.h"
#include "tools/tool.h"

/* The interval, then the number of intervals. */
static bool take_number(Options *options, const char *word, GError **error)
{
	if (options->rate.count)
		return option_fail(
			error, "'%s' is one argument too many: only INTERVAL and COUNT are allowed",
			word);
	if (options->rate.interval_given)
		return option_rate_count(options, word, error);
	options->rate.interval_given = true;
	return option_rate_interval(options, word, error);
}

static bool duration_and_interval(const Options *options)
{
	return options->request.duration_seconds > 0 && options->rate.interval_given;
}

static bool speed_without_input(const Options *options)
{
	return options->rate.speed_given && !options->input;
}

static bool is_of_counters(const Options *options)
{
	return options->renderer->traits & RENDER_TOTALS;
}

static bool textfile_without_counters(const Options *options)
{
	return options->rate.textfile && !is_of_counters(options);
}

/* A cache that is missing in one interval would look like one that was never used. */
static bool counters_of_some(const Options *options)
{
	bool cuts = false;

	for (guint i = 0; i < options->given->len; i++) {
		const OptionRow *row = g_ptr_array_index(options->given, i);

		cuts |= g_str_equal(row->long_name, "rows");
	}
	return is_of_counters(options) && (cuts || options->rate.per_second);
}

static bool textfile_beside_stream(const Options *options)
{
	return options->rate.textfile && collect_request_streams(&options->request);
}

static bool textfile_is_other_file(const Options *options)
{
	const char *file = options->rate.textfile, *record = options->request.record_path;

	return file && ((options->input && g_str_equal(file, options->input)) ||
			(record && g_str_equal(file, record)));
}

static const OptionRule rules[] = {
	{ duration_and_interval, "-d cannot be combined with INTERVAL; COUNT ends the run, as in "
				 "'slabratetop 1 10'" },
	{ speed_without_input, "--speed needs a recording: add -i FILE" },
	{ textfile_without_counters, "--textfile is for counters: add --format=prometheus" },
	{ counters_of_some,
	  "--format=prometheus writes counters of all caches: use it without -r and --rate; "
	  "--cache=LIST chooses caches" },
	{ textfile_beside_stream, "--record=- writes only the stream: use it without --textfile" },
	{ textfile_is_other_file,
	  "--textfile would overwrite what is read or recorded: use another name" },
	{ NULL, NULL },
};

static const ToolExample examples[] = {
	{ "What is allocated right now, every second; interactive on a terminal", "slabratetop" },
	{ "Five tables of two seconds, with frees",
	  "slabratetop --batch --columns=+free,+net 2 5" },
	{ "Ten intervals of one cache for a program, a JSON object each",
	  "slabratetop --json --cache=dentry 1 10" },
	{ NULL, NULL },
};

static const Tool slabratetop = {
	.name = "slabratetop",
	.usage = "[OPTION...] [INTERVAL [COUNT]] [-c CMD | -- CMD ARG...]",
	.purpose = "Shows which slab caches are allocated from right now, how often and how much.",
	.examples = examples,
	.bit = TOOL_SLABRATETOP,
	.events = PROBE_KMALLOC | PROBE_CACHE,
	.caches_only = true,
	.sites_only = true,
	.take_word = take_number,
	.rules = rules,
	.stream = &rate_run_stream,
};

int main(int argc, char **argv)
{
	return tool_main(&slabratetop, argc, argv);
}

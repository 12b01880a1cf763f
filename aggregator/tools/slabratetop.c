/* SPDX-License-Identifier: GPL-2.0-or-later */
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

static const OptionRule rules[] = {
	{ duration_and_interval, "-d cannot be combined with INTERVAL; COUNT ends the run, as in "
				 "'slabratetop 1 10'" },
	{ speed_without_input, "--speed needs a recording: add -i FILE" },
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

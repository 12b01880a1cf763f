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

static bool textfile_is_other_file(const Options *options)
{
	const char *file = options->rate.textfile, *record = options->live.request.record.path;

	return !g_strcmp0(file, options->input.path) || !g_strcmp0(file, record);
}

static const OptionRule rules[] = {
	{ "duration INTERVAL", NULL,
	  "-d cannot be combined with INTERVAL; COUNT ends the run, as in "
	  "'slabratetop 1 10'" },
	{ "speed !input", NULL, "--speed needs a recording: add -i FILE" },
	{ "textfile !FORMAT-OF-TOTALS", NULL,
	  "--textfile is for counters: add --format=prometheus" },
	/* A cache that is missing in one interval would look like one that was never used. */
	{ "FORMAT-OF-TOTALS rows|rate", NULL,
	  "--format=prometheus writes counters of all caches: use it without -r and --rate; "
	  "--cache=LIST chooses caches" },
	{ "textfile record=-", NULL,
	  "--record=- writes only the stream: use it without --textfile" },
	{ "textfile", textfile_is_other_file,
	  "--textfile would overwrite what is read or recorded: use another name" },
	{ NULL, NULL, NULL },
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

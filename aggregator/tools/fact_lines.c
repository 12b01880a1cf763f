/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints single lines of the text report on stderr, where the result itself does not show them.
 * tool.c and rate_run.c call it.
 */
#include "tools/fact_lines.h"

#include "options/options.h"
#include "tools/tool.h"

/* Without the line end. */
static void print_line_of_run(const GString *line, const char *of, const char *remedy)
{
	if (line->len)
		g_printerr("%s: %s%.*s%s%s\n", g_get_prgname(), of, (int)line->len - 1, line->str,
			   remedy ? "; " : "", remedy ? remedy : "");
}

static void print_line_of(const Facts *facts, FactLineOfRun *append, const char *of,
			  const char *remedy)
{
	g_autoptr(GString) line = g_string_new(NULL);

	append(line, facts);
	print_line_of_run(line, of, remedy);
}

void fact_line_print(const Facts *facts, FactLineOfRun *append)
{
	print_line_of(facts, append, "", NULL);
}

static void print_fact(const Facts *facts, FactId id, const char *of)
{
	g_autoptr(GString) line = g_string_new(NULL);

	append_fact_line(line, facts, id, false);
	print_line_of_run(line, of, NULL);
}

void fact_lines_print_incomplete(const Session *session, const Options *options)
{
	g_autoptr(Facts) facts = facts_new(session, false);
	const char *of = options->is_older ? "old run: " : "";

	print_fact(facts, FACT_ENDED_EARLY, of);
	print_fact(facts, FACT_NO_MEMORY_FOR, of);
	print_fact(facts, FACT_UNKNOWN_PARTS, of);
	if (!facts_have_no_loss(facts))
		print_line_of(facts, append_lost_line, of, tool_loss_remedy(session, options));
	print_line_of(facts, append_bpf_line, of, NULL);
	print_line_of(facts, append_full_line, of, NULL);
	if (facts_are_throttled(facts))
		print_line_of(facts, append_sampling_line, of, NULL);
}

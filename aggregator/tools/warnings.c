/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is wrong in a result, on stderr, where it is not overlooked, and the exit status that
 * follows. Lines are those of the text report, for results that do not show them. What a terminal
 * shows of all messages is counted, so that a report knows how much room they leave. tool.c and
 * rate_run.c call it.
 */
#include "tools/warnings.h"

#include "base/number_text.h"
#include "collect/run/check.h"
#include "record/format.h"
#include "session/losses.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

static unsigned lines_shown;

/* Prints a message on stderr, and counts its lines if a terminal shows it. */
static void say(const char *message)
{
	struct winsize size;

	fputs(message, stderr);
	if (!isatty(STDERR_FILENO) || ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return;
	for (const char *line = message, *end; (end = strchr(line, '\n')); line = end + 1)
		lines_shown += (unsigned)MAX(end - line - 1, 0) / size.ws_col + 1;
}

void lines_said_count(void)
{
	g_set_printerr_handler(say);
}

unsigned lines_said(void)
{
	return lines_shown;
}

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

/* As losses_remedy(), with remedies for this host if the session is of this host. */
static const char *loss_remedy(const Session *session, const Options *options)
{
	g_autofree char *why = NULL;

	/* A recording may be of another host. */
	return losses_remedy(session, options_read_input(options) ||
					      check_choose_collector(&options->live.request,
								     &why) == &stap_collector);
}

void fact_lines_print_incomplete(const Session *session, const Options *options)
{
	g_autoptr(Facts) facts = facts_new(session, false);
	const char *of = options->is_older ? "old run: " : "";

	print_fact(facts, FACT_ENDED_EARLY, of);
	print_fact(facts, FACT_NO_MEMORY_FOR, of);
	print_fact(facts, FACT_UNKNOWN_PARTS, of);
	if (!facts_have_no_loss(facts))
		print_line_of(facts, append_lost_line, of, loss_remedy(session, options));
	print_line_of(facts, append_bpf_line, of, NULL);
	print_line_of(facts, append_full_line, of, NULL);
	if (facts_are_throttled(facts))
		print_line_of(facts, append_sampling_line, of, NULL);
}

static void print_many_lost(const Session *session, const char *of, const char *remedy)
{
	const Losses losses = losses_of(session);
	const uint64_t lost = losses_all(&losses).high;
	g_autoptr(GString) line = g_string_new(NULL);

	g_string_append_printf(line, "%s: %sover 1 %% of the events were lost (", g_get_prgname(),
			       of);
	append_count(line, lost);
	g_string_append(line, " of ");
	append_count(line, losses_received(session) + losses_uncounted(&losses).high);
	g_string_append_printf(line, ")%s%s", remedy ? ": " : "", remedy ? remedy : "");
	g_printerr("%s\n", line->str);
}

ExitStatus warn_of_result(const Session *session, const Options *options)
{
	const char *remedy = loss_remedy(session, options);
	/* Only the text on stdout shows its last line to whoever reads the exit status. */
	bool is_shown = options->output.renderer == renderers && !options->output.path;

	if (losses_are_many(session))
		print_many_lost(session, options->is_older ? "old run: " : "", remedy);
	else if (!is_shown && losses_make_incomplete(session, options->loss_percent_max))
		fact_lines_print_incomplete(session, options);
	warn_of_differences(session);
	return result_status(session, options);
}

static void warn_of_difference(uint64_t different, uint64_t compared, const char *what)
{
	g_autoptr(GString) line = g_string_new(g_get_prgname());

	if (!different)
		return;
	g_string_append(line, ": ");
	append_count(line, different);
	g_string_append(line, " of ");
	append_count(line, compared);
	g_printerr("%s %s\n", line->str, what);
}

void warn_of_differences(const Session *session)
{
	const uint64_t walks = losses_walks_different(session);
	const uint64_t names = losses_names_different(session);

	warn_of_difference(walks, run_info_number(session->info, KMT_FIELD_WALKS_COMPARED, walks),
			   "compared stack walks differed from the kernel's: stacks recorded until "
			   "then may be wrong, the kernel walked the later ones; use "
			   "--stack-walk=kernel");
	warn_of_difference(names, run_info_number(session->info, KMT_FIELD_NAMES_COMPARED, names),
			   "compared cache names differed from those that probes recorded: use "
			   "--cache-names=probes");
}

ExitStatus result_status(const Session *session, const Options *options)
{
	bool is_right = !losses_make_incomplete(session, options->loss_percent_max) &&
			!losses_walks_different(session) && !losses_names_different(session);

	return is_right ? EXIT_COMPLETE : EXIT_INCOMPLETE;
}

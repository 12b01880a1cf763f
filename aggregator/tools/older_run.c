/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the older run of --diff as the newer one is read, and checks that both can be compared.
 * tool.c owns it.
 */
#include "record/format.h"
#include "tools/many_inputs.h"

#include "base/escape.h"
#include "report/facts.h"
#include "session/symbols_choose.h"
#include "tools/tool_input.h"
#include "tools/report_input.h"

#include <gio/gio.h>
#include <stdio.h>
#include <string.h>

G_GNUC_PRINTF(2, 3)
static bool older_run_fail(GError **error, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_propagate_error(
		error, g_error_new_valist(G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, format, arguments));
	va_end(arguments);
	return false;
}

static bool read_session(OlderRun *run, GError **error)
{
	Options *options = run->options;

	run->session = tool_session_new(options);
	run->lines = source_lines_new(options, error);
	if (!run->lines)
		return false;
	symbols_prepare(run->session, NULL);
	if (!tool_read_input(options, run->session, error) ||
	    !tool_can_show(options, run->session, error))
		return false;
	/* The caches of the newer run need not be in the older one. */
	if (!cache_choice_of_stream(options, run->session, CACHES_OF_ALL, error)) {
		g_prefix_error(error, "--diff: %s: ", options->input.path);
		return false;
	}
	tool_leave_out_unpaired(options);
	symbols_choose(run->session, NULL);
	return true;
}

/* A live run of a preset has its title. */
static bool has_points(const OlderRun *run, const char *title, const char *newer, GError **error)
{
	const char *older = run_info_text(run->session->info, KMT_FIELD_POINTS_TITLE);

	return !g_strcmp0(older, title) ||
	       older_run_fail(
		       error,
		       "--diff: %s shows '%s', but %s '%s': compare runs of the same probe points",
		       run->options->input.path, older ? older : "allocations", newer,
		       title ? title : "allocations");
}

OlderRun *older_run_read(const Options *options, int argc, char **argv, GError **error)
{
	g_autoptr(OlderRun) run = g_new0(OlderRun, 1);

	run->options = options_parse(options->tool, argc, argv, error);
	if (!run->options)
		return NULL;
	g_free(run->options->input.path);
	run->options->is_older = true;
	run->options->input.path = g_steal_pointer(&run->options->output.diff);
	if (!read_session(run, error))
		return NULL;
	if (options->points.preset &&
	    !has_points(run, options->points.preset->title, "this run", error))
		return NULL;
	return g_steal_pointer(&run);
}

void older_run_free(OlderRun *run)
{
	if (!run)
		return;
	source_lines_free(run->lines);
	session_free(run->session);
	options_free(run->options);
	g_free(run);
}

static bool has_bytes(const Session *session)
{
	const char *missing = run_info_text(session->info, KMT_FIELD_NOT_RECORDED);

	if (!session->imported)
		return !missing || !strstr(missing, "bytes_");
	for (OriginId id = 0; id < profile_origin_count(session->profile); id++)
		if (profile_origin(session->profile, id)->bytes_allocated)
			return true;
	return false;
}

/* Whether a run has what ranks the rows and what divides their numbers. */
static bool has_figures(const Options *options, const Session *session, const char *name,
			GError **error)
{
	g_autoptr(Facts) facts = facts_new(session, false);

	if (view_rank(&options->view)->needs & NEEDS_BYTES && !has_bytes(session))
		return older_run_fail(error, "--diff: %s has no sizes: use -s count", name);
	if (options->output.per == DIFF_PER_SECOND && !fact_number(facts, FACT_DURATION))
		return older_run_fail(error,
				      "--per=second: the duration of %s is not known: use "
				      "--per=event or run",
				      name);
	return true;
}

void older_run_warn(const OlderRun *run, const Options *options, const Session *newer)
{
	g_autofree char *of_old = run_identity(run->session, run->options->input.path);
	g_autofree char *of_new = run_identity(newer, options->input.path);
	g_autoptr(GString) text = g_string_new(NULL);

	if (!g_str_equal(of_old, of_new))
		return;
	escape_append(text, run->options->input.path);
	g_string_append(text, " and ");
	escape_append(text, options->input.path);
	fprintf(stderr, "%s: --diff: %s are the same run\n", g_get_prgname(), text->str);
}

bool older_run_fits(const OlderRun *run, const Options *options, const Session *newer,
		    GError **error)
{
	const char *name = options->input.path ? options->input.path : "this run";

	/* Both are ranked as the newer one. */
	run->options->view.sort = options->view.sort;
	return has_points(run, run_info_text(newer->info, KMT_FIELD_POINTS_TITLE), name, error) &&
	       has_figures(options, run->session, run->options->input.path, error) &&
	       has_figures(options, newer, name, error);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Puts together what a report needs of a session: held cells, names, view, source. Owns them until
 * the report is printed. What tells two runs apart is here, too: boot, start, end and number of
 * events, else the path.
 */
#include "tools/report_input.h"

#include "options/tool_description.h"
#include "record/format.h"
#include "session/losses.h"
#include "tools/warnings.h"

#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

static View *view_of(const ReportInput *input, const Session *session, const Options *options)
{
	const ViewSource source = {
		.profile = session->profile,
		.symbols = session->symbols,
		.code = session->code,
		.lines = options->lines.are_needed ? session->lines : NULL,
		.user_objects = session->user_objects,
		.user_names = session->user_names,
		.points = session->points,
		.hides_kernel_frames = options->points.user_only,
		.hides_user_frames = options->points.kernel_only,
		.caches = input->caches,
		.cgroups = input->cgroups,
		.memory = session->memory,
		.sampling = sampling_of(session->profile, session->info),
		/* Which objects of a place were added is not known. */
		.held = session->held_totals.is_difference ? NULL : session->held_places,
		.held_cells = input->held_cells,
		.runs = input->runs,
	};

	return view_new(&source, &input->options);
}

TerminalSize terminal_size(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return (TerminalSize){ 0 };
	return (TerminalSize){ size.ws_col, size.ws_row, lines_said() };
}

ReportSource report_source_of_options(const Options *options, const Renderer *renderer)
{
	/* What asks for the report as files and pipes have it. */
	static const char *const whole[] = { "top", "min-count", "details", NULL };
	bool is_shown = renderer == renderers && !options->output.path;
	const TerminalSize terminal = is_shown ? terminal_size() : (TerminalSize){ 0 };
	bool fits = terminal.columns && terminal.lines && !options_are_given(options, whole);

	return (ReportSource){
		.command = options->tool->name,
		.terminal = terminal,
		.fits = fits,
		.hits_max = options->view.top,
		.exclude = options->choice.stacks_excluded,
		.caches = options->choice.caches,
		.caches_asked = options->choice.caches_asked,
		.quiet = options->output.quiet,
		.details = options->output.details,
		.human = options->output.human || fits,
		.all = options->output.all,
		.slab_order = options->output.slab_order,
		.shows_memory = options->tool->shows_memory,
		.show_host = !options->output.hide_host,
		.whole_names = renderer->traits & RENDER_WHOLE_NAMES,
		.lists_code = renderer->traits & RENDER_CODE,
		.per = options->output.per,
		.loss_percent_max = options->loss_percent_max,
		.shows_charts = renderer->traits & RENDER_CHART,
	};
}

/* What is said about one run. */
static ReportSource source_of(const ReportInput *input, const ReportSubject *subject,
			      const Options *options, const Renderer *renderer)
{
	ReportSource source = report_source_of_options(options, renderer);
	bool compares_parts = subject->older && !(renderer->traits & RENDER_STACKS_COMPARED);

	source.session = subject->session;
	source.view = input->view;
	source.options = &input->options;
	source.compares_walks = options->live.request.stap.walk == STACK_WALK_COMPARE;
	source.compares_names = options->live.request.what.cache_names == CACHE_NAMES_COMPARE;
	/* What divides stacks divides the rows of a comparison, unless these are stacks. */
	source.parts = compares_parts || options->is_older ? NULL : renderer->parts;
	source.input = options->input.path;
	source.chart = renderer->traits & RENDER_CHART ? subject->chart : NULL;
	return source;
}

ReportInput *report_input_new(const ReportSubject *subject, const Options *options,
			      const Renderer *renderer)
{
	const Session *session = subject->session;
	ReportInput *input = g_new0(ReportInput, 1);
	const HeldMoment moment = {
		.end_ns = session_end_ns(session),
		.last_loss_ns = losses_last_ns(session),
	};

	if (session->pairing)
		input->held_cells = held_cells_new(session->pairing, options->choice.held, moment);
	input->caches = cache_names_new(session->profile, session->info, session->text);
	input->cgroups = cgroup_names_new(session->text);
	input->runs = run_names_new(options->output.hide_host);
	run_identity_add(input->runs, session, options->input.path);
	input->options = options->view;
	/* A list is cut itself: the stacks of all its hits are needed. */
	if (session->list && !input->options.by[0])
		input->options.top = UINT64_MAX;
	input->view = view_of(input, session, options);
	input->source = source_of(input, subject, options, renderer);
	return input;
}

void report_input_free(ReportInput *input)
{
	if (!input)
		return;
	view_free(input->view);
	run_names_free(input->runs);
	cgroup_names_free(input->cgroups);
	cache_names_free(input->caches);
	held_cells_free(input->held_cells);
	g_free(input);
}

/* Pieces of one run have the same start, but not the same events. Without facts about the run, the
   file tells. */
char *run_identity(const Session *session, const char *path)
{
	const RunInfo *info = session->info;
	const char *boot = run_info_text(info, KMT_FIELD_BOOT_ID);
	const char *host = run_info_text(info, KMT_FIELD_HOST);
	uint64_t start_ns = run_info_start_ns(info);

	if (!boot || !start_ns) {
		char *real = realpath(path, NULL);

		return real ? real : g_strdup(path);
	}
	return g_strdup_printf(
		"%s\n%s\n%" G_GUINT64_FORMAT "\n%" G_GUINT64_FORMAT "\n%" G_GUINT64_FORMAT, boot,
		host ? host : "", start_ns, session_end_ns(session), losses_counted(session));
}

uint32_t run_identity_add(RunNames *names, const Session *session, const char *path)
{
	const RunIdentity run = {
		.host = run_info_text(session->info, KMT_FIELD_HOST),
		.boot_id = run_info_text(session->info, KMT_FIELD_BOOT_ID),
		.path = path,
		.start_time_ns =
			run_info_realtime_ns(session->info, run_info_start_ns(session->info)),
	};

	return run_names_add(names, &run);
}

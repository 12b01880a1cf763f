/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of all commands: parses, checks, runs live, from input, many inputs or overview, prints
 * reports, and decides the exit status. Interim reports and outputs are here; what a single command
 * does differently is in its Tool.
 */
#include "tools/tool.h"

#include "collect/tracefs/kprobe_group.h"
#include "collect/run/check.h"
#include "collect/run/collect_live.h"
#include "import/input.h"
#include "collect/run/run_memory.h"
#include "collect/stap/stap_build.h"
#include "process/watchdog.h"
#include "base/escape.h"
#include "base/exit_status.h"
#include "session/losses.h"
#include "options/option_completion.h"
#include "options/options.h"
#include "base/private_file.h"
#include "record/format.h"
#include "render/formats/renderers.h"
#include "session/session.h"
#include "session/symbols_choose.h"
#include "tools/rate_feed.h"
#include "tools/record_line.h"
#include "tools/many_inputs.h"
#include "tools/report_input.h"
#include "tools/source_lines.h"
#include "tools/text_writer.h"
#include "tools/tool_input.h"
#include "tools/warnings.h"

#include <errno.h>
#include <gio/gio.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static ExitStatus tool_fail(ExitStatus status, const GError *error)
{
	g_autoptr(GString) message = g_string_new(NULL);

	/* The message may quote a file or an option unescaped. */
	escape_append(message, error->message);
	fprintf(stderr, "%s: %s\n", g_get_prgname(), message->str);
	if (status == EXIT_USAGE)
		fprintf(stderr, "Try '%s --help'.\n", g_get_prgname());
	return status;
}

/* An error of the options domain is always a usage error. */
static ExitStatus status_of(const GError *error)
{
	return error->domain == G_OPTION_ERROR ? EXIT_USAGE : EXIT_FAILED;
}

/* A run that is compared is shown with the older one. */
static void print_report_as(const Renderer *renderer, const ReportSubject *subject,
			    const Options *options, FILE *out)
{
	const OlderRun *older = subject->older;
	const ReportSubject before = { .session = older ? older->session : NULL };
	ReportKind kind = options->info                                  ? REPORT_INFO
			  : older                                        ? REPORT_DIFF
			  : tool_shows_caches(options, subject->session) ? REPORT_SLAB_CACHES
									 : options->tool->report;
	g_autoptr(ReportInput) input =
		subject->session ? report_input_new(subject, options, renderer) : NULL;
	g_autoptr(ReportInput) compared =
		older ? report_input_new(&before, older->options, renderer) : NULL;
	g_autoptr(ReportModel) model = NULL;

	if (compared)
		input->source.older = &compared->source;
	model = report_model_new(kind, input ? &input->source : &subject->many->source);
	/* A report without the figure that was asked for looks like one in which nothing has it. */
	if (!model_is_empty(model) && !model_knows_rank(model))
		fprintf(stderr, "%s: -s %s: this is not known of these events: use -s count\n",
			g_get_prgname(), view_rank(model->source->options)->name);
	renderer->render(model, out);
}

static void print_report(const ReportSubject *subject, const Options *options, FILE *out)
{
	print_report_as(options->output.renderer, subject, options, out);
}

/* The reports during a live run: for SIGUSR1 and --every. */
typedef struct {
	const Options *options;
	const ReportSubject *subject;
	SourceLines *lines;
	TextWriter *writer; /* owned; NULL: no report is being written */
	bool reader_left;
	bool failed; /* one was not written */
} Interim;

/* Waits until the reports so far are written. Returns false if that failed, which is printed. */
static bool interim_finish(Interim *interim)
{
	g_autoptr(GError) error = NULL;

	if (!interim->writer || text_writer_finish(g_steal_pointer(&interim->writer), &error))
		return true;
	tool_fail(EXIT_FAILED, error);
	interim->failed = true;
	return false;
}

/* Whether the next report can be written. After a full disk, it is tried again. */
static bool interim_begin(Interim *interim)
{
	if (interim->writer && text_writer_has_ended(interim->writer))
		interim->reader_left = interim_finish(interim);
	if (interim->reader_left)
		return false;
	if (!interim->writer)
		interim->writer = text_writer_new(true, "report");
	return !text_writer_skips(interim->writer);
}

/* Prints the report so far; the run goes on, unless nobody wants its result. */
static bool report_now(Session *session, void *user_data)
{
	Interim *interim = user_data;
	const Options *options = interim->options;
	bool is_picture = options->output.renderer->traits & RENDER_ONCE;
	FILE *out;

	/* A picture cannot be followed by another in the same place. If it goes to a file, people
	   get a text meanwhile. */
	if (is_picture && !options->output.path)
		return true;
	if (!interim_begin(interim))
		return !interim->reader_left || options->output.path ||
		       options->live.request.record.path;
	symbols_choose(session, options->input.symbols);
	/* Nobody would read events while debuginfo is read. */
	source_lines_leave_out(interim->lines);
	out = text_writer_open(interim->writer);
	print_report_as(is_picture ? renderers : options->output.renderer, interim->subject,
			options, out);
	fclose(out);
	return true;
}

/* Returns false with error set unless everything was written. A reader that closes the pipe early,
   like head, is not an error. */
static bool finish_output(FILE *out, const char *name, GError **error)
{
	if (!fflush(out) && !ferror(out))
		return true;
	if (errno == EPIPE)
		return true;
	g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "writing %s: %s", name,
		    g_strerror(errno));
	return false;
}

/* file is NULL for stdout. */
static bool tool_report(const ReportSubject *subject, const Options *options, PrivateFile *file,
			GError **error)
{
	bool written;
	FILE *out;

	if (!file) {
		print_report(subject, options, stdout);
		return finish_output(stdout, "the report", error);
	}
	out = fdopen(dup(private_file_descriptor(file)), "w");
	if (!out) {
		g_set_error(error, G_FILE_ERROR, g_file_error_from_errno(errno), "%s: %s",
			    options->output.path, g_strerror(errno));
		return false;
	}
	print_report(subject, options, out);
	written = finish_output(out, options->output.path, error);
	fclose(out);
	return written && private_file_commit(file, error);
}

/* Creates the file of -O first: no report is lost to a bad name. *file is NULL for stdout. */
static bool open_output(const OutputOptions *output, PrivateFile **file, GError **error)
{
	*file = output->path ? private_file_create(output->path, true, error) : NULL;
	return *file || !output->path;
}

/* The run has failed before its report. file: of -O; NULL: stdout. */
static ExitStatus fail_unwritten(PrivateFile *file, const GError *error)
{
	if (file)
		private_file_discard(file);
	return tool_fail(status_of(error), error);
}

/* Reads the file of --kallsyms first, for the same reason. */
static bool read_symbols(InputOptions *input, GError **error)
{
	if (input->kallsyms)
		input->symbols = symbols_read(input->kallsyms, error);
	return input->symbols || !input->kallsyms;
}

/* If the file of -O cannot be written, writes the report to stdout. */
static ExitStatus report_elsewhere(const ReportSubject *subject, const Options *options,
				   PrivateFile *file, const GError *error)
{
	tool_fail(EXIT_FAILED, error);
	if (!file)
		return EXIT_FAILED;
	private_file_discard(file);
	print_report(subject, options, stdout);
	fflush(stdout);
	return EXIT_INCOMPLETE;
}

static ExitStatus tool_finish(const ReportSubject *subject, const Options *options,
			      SourceLines *lines, PrivateFile *file)
{
	const OlderRun *older = subject->older;
	Session *session = subject->session;
	ExitStatus status, older_status = EXIT_COMPLETE;
	g_autoptr(GError) error = NULL;

	symbols_choose(session, options->input.symbols);
	source_lines_update(lines, session);
	if (older)
		source_lines_update(older->lines, older->session);
	if (!tool_report(subject, options, file, &error))
		return report_elsewhere(subject, options, file, error);
	if (older)
		older_status = warn_of_result(older->session, older->options);
	status = warn_of_result(session, options);
	return MAX(status, older_status);
}

/* The recording is there: nobody asked for the report of what is in it. */
static ExitStatus finish_recording(const Options *options, const Session *session, Interim *interim)
{
	g_autoptr(GError) error = NULL;

	interim_finish(interim);
	record_line_print(session, options, stdout);
	if (!finish_output(stdout, "stdout", &error))
		return tool_fail(EXIT_FAILED, error);
	return warn_of_result(session, options);
}

static void report_command_end(const CollectOutcome *outcome, char **command)
{
	int status = outcome->command_status;

	if (outcome->command_running)
		fprintf(stderr, "%s: %s is still running and was left alone\n", g_get_prgname(),
			*command);
	else if (!outcome->command_ended)
		fprintf(stderr, "%s: %s has ended, its exit status is not known\n", g_get_prgname(),
			*command);
	else if (WIFSIGNALED(status))
		fprintf(stderr, "%s: %s was ended by signal %d (%s)\n", g_get_prgname(), *command,
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	else
		fprintf(stderr, "%s: %s exited with status %d\n", g_get_prgname(), *command,
			WEXITSTATUS(status));
}

/* Other processes on this host are more important than this measurement. */
static void offer_to_oom_killer(const LiveOptions *live)
{
	if (!oom_score_raise() && live->request.terminal.verbose)
		fprintf(stderr, "%s: oom_score_adj could not be raised: %s\n", g_get_prgname(),
			g_strerror(errno));
}

/* Without --collector, prints which one was picked and why. */
static const CollectorType *choose_collector(const Options *options)
{
	const CollectRequest *request = &options->live.request;
	g_autofree char *why = NULL;
	const CollectorType *collector;

	if (options->live.collector)
		return options->live.collector;
	if (request->what.preset)
		return request->what.preset->collectors & PRESET_BY_PERF ? &perf_collector
									 : &stap_collector;
	if (collect_request_needs_stap(request))
		return &stap_collector;
	collector = check_choose_collector(request, &why);
	if (!options->output.quiet)
		g_printerr("%s: collector: %s%s%s%s\n", g_get_prgname(), collector->title,
			   why ? " (" : "", why ? why : "", why ? ")" : "");
	return collector;
}

static ExitStatus finish_live(const LiveOptions *live, const CollectOutcome *outcome,
			      ExitStatus status)
{
	if (live->request.command.words)
		report_command_end(outcome, live->request.command.words);
	return outcome->recording_unfinished ? MAX(status, EXIT_INCOMPLETE) : status;
}

/* For a tool that shows its stream: no report is left to print at the end. */
static ExitStatus finish_stream(const Options *options, const Session *session, void *state)
{
	g_autoptr(GError) error = NULL;

	if (!options->tool->stream->end(state, &error))
		return tool_fail(status_of(error), error);
	warn_of_differences(session);
	return result_status(session, options);
}

static ExitStatus show_live(Options *options, Session *session, CollectOutcome *outcome)
{
	const ToolStream *stream = options->tool->stream;
	g_autoptr(GError) error = NULL;
	void *state;
	ExitStatus status;
	bool collected;

	options->live.collector = choose_collector(options);
	state = stream->begin(options, session, &error);
	if (!state)
		return tool_fail(status_of(error), error);
	options->live.request.reports.tick = stream->tick;
	options->live.request.reports.tick_data = state;
	options->live.request.reports.now = NULL;
	options->live.request.terminal.progress = false;
	collected = collect_live(options->live.collector, &options->live.request, session, outcome,
				 &error);
	status = finish_stream(options, session, state);
	return collected ? finish_live(&options->live, outcome, status)
			 : tool_fail(status_of(error), error);
}

static ExitStatus show_input(Options *options, Session *session)
{
	const ToolStream *stream = options->tool->stream;
	g_autoptr(GError) error = NULL;
	ExitStatus status;
	void *state;

	tool_leave_out_unpaired(options);
	state = stream->begin(options, session, &error);
	if (!state)
		return tool_fail(status_of(error), error);
	if (tool_read_input(options, session, &error))
		tool_has_times(&options->input, session, &error);
	status = finish_stream(options, session, state);
	return error ? tool_fail(status_of(error), error) : status;
}

/* Prints the last report, after the earlier ones. A file does not wait for their reader. */
static ExitStatus finish_reports(const Options *options, PrivateFile *file, Interim *interim)
{
	ExitStatus status;

	if (!file)
		interim_finish(interim);
	status = tool_finish(interim->subject, options, interim->lines, file);
	interim_finish(interim);
	return interim->failed && status == EXIT_COMPLETE ? EXIT_INCOMPLETE : status;
}

static ExitStatus run_live(Options *options, const OlderRun *older)
{
	g_autoptr(Session) session = tool_session_new(options);
	ReportSubject subject = { .session = session, .older = older };
	g_autoptr(ChartFeed) chart = NULL;
	g_autoptr(PrivateFile) file = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(SourceLines) lines = source_lines_new(options, &error);
	Interim interim = { .options = options, .subject = &subject, .lines = lines };
	CollectOutcome outcome = { 0 };
	const bool streams = collect_request_streams(&options->live.request);
	ExitStatus status;

	offer_to_oom_killer(&options->live);
	/* If the reader of the report closes the pipe, the other files of the run are still
	 * written. */
	signal(SIGPIPE, SIG_IGN);
	if (!lines || !read_symbols(&options->input, &error) ||
	    !pids_exist("", options->live.pids, &error) || !cache_choice_of_host(options, &error) ||
	    !open_output(&options->output, &file, &error))
		return tool_fail(status_of(error), error);
	warn_of_unmatched(options);
	tool_leave_out_unpaired(options);
	/* Until the report is written and the file has its final name. */
	if (file)
		watchdog_add(
			&(WatchdogItem){ .kind = WATCHDOG_FILE, .path = private_file_part(file) });
	if (!streams)
		options->live.request.reports.now = report_now;
	options->live.request.reports.data = &interim;
	options->live.request.terminal.prompt =
		!options->output.quiet && !options->live.request.command.words &&
		!(options->live.request.bounds.duration_seconds > 0);
	options->live.request.bounds.memory_bytes_max = options->memory_bytes_max;
	options->live.request.terminal.quiet = options->output.quiet;
	options->live.request.terminal.progress = !options->output.quiet && isatty(STDERR_FILENO);
	if (options->tool->stream && !streams)
		return show_live(options, session, &outcome);
	if (!streams)
		chart = chart_feed_new(session, options);
	if (!collect_live(choose_collector(options), &options->live.request, session, &outcome,
			  &error)) {
		interim_finish(&interim);
		return fail_unwritten(file, error);
	}
	subject.chart = chart_feed_finish(chart);
	/* The stream was the result; its reader makes the report. If the reader has closed it, that
	   is not an error. */
	if (record_is_result(options) && !outcome.recording_unfinished)
		status = finish_recording(options, session, &interim);
	else if (!streams)
		status = finish_reports(options, file, &interim);
	else
		status = outcome.reader_left ? EXIT_COMPLETE : warn_of_result(session, options);
	return finish_live(&options->live, &outcome, status);
}

/* Instead of a report. */
static ExitStatus show_missing(Session *session, SourceLines *lines)
{
	g_autoptr(GError) error = NULL;

	source_lines_update(lines, session);
	source_lines_print_missing(lines, session, stdout);
	return finish_output(stdout, "stdout", &error) ? EXIT_COMPLETE
						       : tool_fail(EXIT_FAILED, error);
}

/* Whether the input is readings of a host, and no run: then it is shown as the host itself. */
static bool is_overview(const Options *options, const Session *session)
{
	return options->tool->read_overview && !options->choice.caches && !options->info &&
	       options->output.renderer->reports & RENDERS(REPORT_SLAB_CACHES) &&
	       run_text_time_ns(session->text, KMT_BATCH_SLABINFO, KMT_READING_END) &&
	       !run_info_text(session->info, KMT_FIELD_SCOPE);
}

static ExitStatus run_input(Options *options, const OlderRun *older)
{
	g_autoptr(Session) session = tool_session_new(options);
	ReportSubject subject = { .session = session, .older = older };
	g_autoptr(ChartFeed) chart = NULL;
	g_autoptr(SourceLines) lines = NULL;
	g_autoptr(PrivateFile) file = NULL;
	g_autoptr(GError) error = NULL;

	if (options->tool->stream)
		return show_input(options, session);
	chart = chart_feed_new(session, options);
	lines = source_lines_new(options, &error);
	if (!lines || !read_symbols(&options->input, &error) ||
	    !open_output(&options->output, &file, &error))
		return tool_fail(status_of(error), error);
	symbols_prepare(session, options->input.symbols);
	if (!tool_read_input(options, session, &error) ||
	    !tool_can_show(options, session, &error) ||
	    !cache_choice_of_stream(options, session, CACHES_OF_ALL, &error) ||
	    (older && !older_run_fits(older, options, session, &error)))
		return fail_unwritten(file, error);
	options->overview = is_overview(options, session);
	if (options->lines.missing_debuginfo)
		return show_missing(session, lines);
	if (older)
		older_run_warn(older, options, session);
	tool_leave_out_unpaired(options);
	subject.chart = chart_feed_finish(chart);
	return tool_finish(&subject, options, lines, file);
}

/* Reads several recordings for one report. */
static ExitStatus run_inputs(Options *options)
{
	g_autoptr(ManyInputs) many = NULL;
	g_autoptr(PrivateFile) file = NULL;
	ReportSubject subject = { 0 };
	g_autoptr(GError) error = NULL;

	if (!read_symbols(&options->input, &error) || !open_output(&options->output, &file, &error))
		return tool_fail(status_of(error), error);
	many = many_inputs_read(options, &error);
	if (!many)
		return fail_unwritten(file, error);
	subject.many = many;
	if (!tool_report(&subject, options, file, &error))
		return report_elsewhere(&subject, options, file, error);
	return many_inputs_are_complete(many, options) ? EXIT_COMPLETE : EXIT_INCOMPLETE;
}

static ExitStatus run_overview(const Options *options)
{
	g_autoptr(Session) session = session_new(options->memory_bytes_max);
	const ReportSubject subject = { .session = session };
	g_autoptr(PrivateFile) file = NULL;
	g_autoptr(GError) error = NULL;

	if (!open_output(&options->output, &file, &error))
		return tool_fail(status_of(error), error);
	if (!options->tool->read_overview(options, session, &error))
		return fail_unwritten(file, error);
	if (!tool_report(&subject, options, file, &error))
		return report_elsewhere(&subject, options, file, error);
	return EXIT_COMPLETE;
}

/* Its children have watchdogs of their own. */
static ExitStatus run_watch(const Options *options)
{
	g_autoptr(GError) error = NULL;

	signal(SIGPIPE, SIG_IGN);
	if (!options->tool->watch(options, &error))
		return tool_fail(status_of(error), error);
	return EXIT_COMPLETE;
}

static ExitStatus build_module(Options *options, const OlderRun *older)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(StapTool) tool = stap_tool_find(true, &error);
	g_autoptr(StapOptions) stap_options = NULL;
	StapBuildRequest request = {
		.events = stap_build_events(&options->live.request),
		.kernel_release = options->live.kernel_release,
		.sign_key = options->live.sign_key,
		.sign_cert = options->live.sign_cert,
		.verbose = options->live.request.terminal.verbose,
	};

	(void)older;
	offer_to_oom_killer(&options->live);
	if (!tool)
		return tool_fail(EXIT_FAILED, error);
	stap_options = stap_options_parse(options->live.request.stap.options, &error);
	if (!stap_options)
		return tool_fail(EXIT_USAGE, error);
	request.options = stap_options;
	if (!stap_build_module_file(tool, &request, options->output.path, &error))
		return tool_fail(status_of(error), error);
	return EXIT_COMPLETE;
}

static ExitStatus tool_check(Options *options, int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(OlderRun) older = NULL;
	bool would_start;

	if (options->output.diff)
		older = older_run_read(options, argc, argv, &error);
	if (error || !pids_exist("", options->live.pids, &error) ||
	    !cache_choice_of_host(options, &error))
		return tool_fail(status_of(error), error);
	warn_of_unmatched(options);
	would_start = check_this_host(options->live.collector, &options->live.request,
				      (CheckFiles){ options->output.path, options->input.kallsyms,
						    options->rate.textfile },
				      stdout);

	if (!finish_output(stdout, "stdout", &error))
		return tool_fail(EXIT_FAILED, error);
	return would_start ? EXIT_COMPLETE : EXIT_FAILED;
}

static ExitStatus run_watched(ExitStatus (*run)(Options *options, const OlderRun *older),
			      Options *options, const OlderRun *older)
{
	g_autoptr(GError) error = NULL;
	ExitStatus status;

	if (!watchdog_start(kprobe_group_undo, &error))
		return tool_fail(EXIT_FAILED, error);
	status = run(options, older);
	watchdog_end();
	return status;
}

/* What a run is compared with is read first: a bad name must not cost a run. */
static ExitStatus run(Options *options, int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(OlderRun) older = NULL;

	if (options->output.diff)
		older = older_run_read(options, argc, argv, &error);
	if (error)
		return tool_fail(status_of(error), error);
	if (many_inputs_are_given(&options->input))
		return run_inputs(options);
	if (options_read_input(options) && !options->tool->stream)
		return run_input(options, older);
	/* A killed run would leave something behind. A tool with a stream may also change the
	   terminal. */
	return run_watched(options->input.path ? run_input : run_live, options, older);
}

enum { MMAP_THRESHOLD_BYTES = 128 << 10 };

int tool_main(const Tool *tool, int argc, char **argv)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(Options) options = NULL;
	ExitStatus status = EXIT_COMPLETE;

	out_of_memory_ends_program();
	g_set_prgname(tool->name);
	lines_said_count();
	if (!standard_files_hold()) {
		fprintf(stderr, "%s: /dev/null: %s\n", tool->name, g_strerror(errno));
		return EXIT_FAILED;
	}
	if (!standard_files_leave_room()) {
		fprintf(stderr, "%s: too few files may be open (ulimit -n): %d are needed\n",
			tool->name, FILES_NEEDED);
		return EXIT_FAILED;
	}
	if (argc > 1 && g_str_equal(argv[1], OPTION_COMPLETE)) {
		option_completion_print(tool, "", argv + 2, stdout);
		return (int)(finish_output(stdout, "stdout", &error)
				     ? EXIT_COMPLETE
				     : tool_fail(EXIT_FAILED, error));
	}
	/* By default glibc raises the mmap threshold as tables grow, and then never returns the
	   memory that they free: 3 of 64 MB with 100,000 stacks. */
	mallopt(M_MMAP_THRESHOLD, MMAP_THRESHOLD_BYTES);
	/* Makes reaching the largest file size (ulimit -f) an error, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* SIGUSR1 requests a report once there is data; before that, it must not end the run. */
	signal(SIGUSR1, SIG_IGN);
	options = options_parse(tool, argc, argv, &error);
	if (!options)
		return tool_fail(EXIT_USAGE, error);
	if (options->help)
		options_print_help(tool, options->help_all, stdout);
	else if (options->version)
		options_print_version(tool, stdout);
	else if (options->points.list)
		status = tool->list(stdout) ? EXIT_COMPLETE : EXIT_INCOMPLETE;
	else if (options->build_module)
		return run_watched(build_module, options, NULL);
	else if (options->check)
		return tool_check(options, argc, argv);
	else if (options->watch_s > 0)
		return run_watch(options);
	else if (options->overview)
		return run_overview(options);
	else
		return run(options, argc, argv);
	return (int)(finish_output(stdout, "stdout", &error) ? status
							     : tool_fail(EXIT_FAILED, error));
}
